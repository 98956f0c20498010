"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(1)2}, {}]>}], function_type = (tensor<6xf32>, tensor<4x1xf32>, tensor<3x12x12xf32>) -> (tensor<4x1xf32>, tensor<6xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x6x12x12xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {"a"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<6xf32>, %1: tensor<4x1xf32>, %2: tensor<3x12x12xf32>):
    %3 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x1xf32>
    %4 = "stablehlo.negate"(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %5 = "stablehlo.negate"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %6 = "stablehlo.multiply"(%4, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %7 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8:2 = "stablehlo.while"(%7, %4) ({
    ^bb0(%9: tensor<i32>, %10: tensor<3x12x12xf32>):
      %11 = "stablehlo.compare"(%9, %9) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%11) : (tensor<i1>) -> ()
    }, {
    ^bb0(%12: tensor<i32>, %13: tensor<3x12x12xf32>):
      %14 = "stablehlo.sine"(%13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
      %15 = "stablehlo.add"(%14, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
      "stablehlo.return"(%12, %15) : (tensor<i32>, tensor<3x12x12xf32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<i32>, tensor<3x12x12xf32>) -> (tensor<i32>, tensor<3x12x12xf32>)
    %16 = "stablehlo.multiply"(%4, %6) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %17 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0, 2, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x6x12x12xf32>
    %18 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %19 = "stablehlo.reverse"(%18) <{dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %20 = "func.call"(%19) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %21 = "func.call"(%20) <{callee = @f0}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %22 = "stablehlo.broadcast_in_dim"(%17) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %23 = "stablehlo.negate"(%22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %24 = "stablehlo.tanh"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %25 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<3x6x12x12xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : () -> tensor<3x6x12x12xf32>
    %26 = "stablehlo.add"(%22, %25) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x6x12x12xf32>, tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %27 = "sdy.reshard"(%23) <{sharding = #sdy.sharding<@mesh, [{"a"}, {"b":(2)2}, {}, {}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %28 = "sdy.reshard"(%26) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}, {}, {"a"}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %29 = "stablehlo.negate"(%26) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>]>} : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %30 = "sdy.reshard"(%29) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"b":(2)2}, {}, {"a"}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %31 = "sdy.reshard"(%27) <{sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}, {}, {}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    "func.return"(%3, %5, %8#1, %16, %21, %24) : (tensor<4x1xf32>, tensor<6xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x6x12x12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(1)2}, {"a"}]>}], function_type = (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(1)2}, {"a"}]>}], sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%32: tensor<3x12x12xf32>):
    %33 = "stablehlo.tanh"(%32) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %34 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %35 = "stablehlo.broadcast_in_dim"(%34) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<f32>) -> tensor<3x12x12xf32>
    %36 = "stablehlo.add"(%33, %35) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(1)2}, {"a"}]>]>} : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    "func.return"(%36) : (tensor<3x12x12xf32>) -> ()
  }) : () -> ()
}) : () -> ()
