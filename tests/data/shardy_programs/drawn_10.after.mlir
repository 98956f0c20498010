"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {}], function_type = (tensor<4xf32>, tensor<16x6xf32>, tensor<3x1x16xf32>, tensor<2x4xf32>) -> (tensor<4xf32>, tensor<6x4x2xf32>, tensor<8x6xf32>, tensor<3x1x16xf32>, tensor<6x16xf32>, tensor<6x2x4xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<4xf32>, %1: tensor<16x6xf32>, %2: tensor<3x1x16xf32>, %3: tensor<2x4xf32>):
    %4 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %5 = "stablehlo.subtract"(%0, %4) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = "stablehlo.reshape"(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}]>]>} : (tensor<3x1x16xf32>) -> tensor<6x4x2xf32>
    %7 = "stablehlo.abs"(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %8 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.dynamic_slice"(%1, %8, %8) <{slice_sizes = array<i64: 8, 6>}> : (tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    %10 = "func.call"(%7) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %11 = "func.call"(%10) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %12 = "stablehlo.subtract"(%7, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %13 = "stablehlo.abs"(%1) : (tensor<16x6xf32>) -> tensor<16x6xf32>
    %14 = "stablehlo.subtract"(%7, %7) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %15 = "stablehlo.reshape"(%13) : (tensor<16x6xf32>) -> tensor<6x16xf32>
    %16 = "stablehlo.dynamic_slice"(%14, %8, %8, %8) <{slice_sizes = array<i64: 3, 1, 16>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x16xf32>
    %17 = "stablehlo.reshape"(%12) : (tensor<3x1x16xf32>) -> tensor<6x2x4xf32>
    %18 = "stablehlo.tanh"(%14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b":(1)2}, {"b":(2)2}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %19 = "stablehlo.abs"(%16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %20 = "stablehlo.maximum"(%17, %17) : (tensor<6x2x4xf32>, tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
    %21 = "sdy.reshard"(%19) <{sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %22 = "sdy.reshard"(%19) <{sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b"}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %23 = "sdy.reshard"(%18) <{sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {}, {}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    "func.return"(%5, %6, %9, %11, %15, %20) : (tensor<4xf32>, tensor<6x4x2xf32>, tensor<8x6xf32>, tensor<3x1x16xf32>, tensor<6x16xf32>, tensor<6x2x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}], function_type = (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%24: tensor<3x1x16xf32>):
    %25 = "stablehlo.tanh"(%24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %26 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %27 = "stablehlo.broadcast_in_dim"(%26) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<f32>) -> tensor<3x1x16xf32>
    %28 = "stablehlo.add"(%25, %27) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>]>} : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %29 = "sdy.reshard"(%28) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b":(2)2, "a"}, {}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    "func.return"(%29) : (tensor<3x1x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
