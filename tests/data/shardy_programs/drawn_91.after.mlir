"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b":(2)2}]>}], function_type = (tensor<3x12x16xf32>, tensor<16x16x16xf32>, tensor<4x4xf32>, tensor<8x16x4xf32>) -> (tensor<8x16x4xf32>, tensor<8x16x8xf32>, tensor<16x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x8x4xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2, "a"}, {"b":(1)2}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<3x12x16xf32>, %1: tensor<16x16x16xf32>, %2: tensor<4x4xf32>, %3: tensor<8x16x4xf32>):
    %4 = "sdy.manual_computation"(%3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>}> ({
    ^bb0(%5: tensor<8x16x2xf32>):
      %6 = "stablehlo.tanh"(%5) {x = 1 : i64} : (tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
      %7 = "stablehlo.add"(%6, %5) {x = 1 : i64} : (tensor<8x16x2xf32>, tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
      "sdy.return"(%7) : (tensor<8x16x2xf32>) -> ()
    }) : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %8 = "stablehlo.subtract"(%4, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x16x4xf32>, tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %9 = "sdy.reshard"(%4) <{sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}> : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %10 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<f32>) -> tensor<4x8xf32>
    %12 = "stablehlo.dot_general"(%4, %11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<8x16x4xf32>, tensor<4x8xf32>) -> tensor<8x16x8xf32>
    %13 = "stablehlo.concatenate"(%4, %4) <{dimension = 0 : i64}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<8x16x4xf32>, tensor<8x16x4xf32>) -> tensor<16x16x4xf32>
    %14 = "stablehlo.abs"(%8) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %15 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.dynamic_slice"(%14, %15, %15, %15) <{slice_sizes = array<i64: 8, 8, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x4xf32>
    %17 = "sdy.reshard"(%14) <{sharding = #sdy.sharding<@mesh, [{"b"}, {}, {"a"}]>}> : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %18 = "stablehlo.maximum"(%16, %16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    %19 = "sdy.reshard"(%18) <{sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}, {}]>}> : (tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    %20 = "stablehlo.tanh"(%14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %21 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<8x8x4xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "a"}, {}]>]>} : () -> tensor<8x8x4xf32>
    %22 = "stablehlo.maximum"(%19, %21) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "a"}, {}]>]>} : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    %23:2 = "stablehlo.while"(%15, %18) ({
    ^bb0(%24: tensor<i32>, %25: tensor<8x8x4xf32>):
      %26 = "stablehlo.compare"(%24, %24) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%26) : (tensor<i1>) -> ()
    }, {
    ^bb0(%27: tensor<i32>, %28: tensor<8x8x4xf32>):
      %29 = "stablehlo.exponential"(%28) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
      %30 = "stablehlo.add"(%29, %18) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
      "stablehlo.return"(%27, %30) : (tensor<i32>, tensor<8x8x4xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"b"}, {}, {"a"}]>]>} : (tensor<i32>, tensor<8x8x4xf32>) -> (tensor<i32>, tensor<8x8x4xf32>)
    "func.return"(%9, %12, %13, %17, %20, %22) : (tensor<8x16x4xf32>, tensor<8x16x8xf32>, tensor<16x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
