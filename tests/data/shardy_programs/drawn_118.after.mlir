"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 3 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}, {}]>}, {}], function_type = (tensor<6x1xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<1x4x3xf32>) -> (tensor<1x4x3xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<16x8x8xf32>, tensor<16x8x3xf32>, tensor<6x2x32x1xf32>), res_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<6x1xf32>, %1: tensor<8x1xf32>, %2: tensor<16x8x3xf32>, %3: tensor<1x4x3xf32>):
    %4 = "sdy.reshard"(%2) <{sharding = #sdy.sharding<@mesh, [{}, {"c", "a"}, {"b"}]>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %5 = "stablehlo.tanh"(%3) : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
    %6 = "sdy.propagation_barrier"(%1) <{allowed_direction = 1 : i32}> : (tensor<8x1xf32>) -> tensor<8x1xf32>
    %7 = "stablehlo.exponential"(%2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {"b", "a"}, {}]>]>} : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %8 = "sdy.propagation_barrier"(%2) <{allowed_direction = 2 : i32, sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %9 = "sdy.manual_computation"(%4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>}> ({
    ^bb0(%10: tensor<16x4x3xf32>):
      %11 = "stablehlo.tanh"(%10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}]>]>, x = 1 : i64} : (tensor<16x4x3xf32>) -> tensor<16x4x3xf32>
      %12 = "stablehlo.add"(%11, %10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"b"}]>]>, x = 1 : i64} : (tensor<16x4x3xf32>, tensor<16x4x3xf32>) -> tensor<16x4x3xf32>
      "sdy.return"(%12) : (tensor<16x4x3xf32>) -> ()
    }) : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %13 = "sdy.reshard"(%8) <{sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}> : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %14 = "stablehlo.abs"(%13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %15 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<3x8xf32>}> : () -> tensor<3x8xf32>
    %16 = "stablehlo.dot_general"(%9, %15) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>} : (tensor<16x8x3xf32>, tensor<3x8xf32>) -> tensor<16x8x8xf32>
    %17 = "stablehlo.tanh"(%14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %18 = "stablehlo.reshape"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "c"}, {}, {"b"}]>]>} : (tensor<16x8x3xf32>) -> tensor<6x2x32x1xf32>
    %19 = "stablehlo.sine"(%14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %20 = "stablehlo.tanh"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<16x8x3xf32>) -> tensor<16x8x3xf32>
    %21 = "stablehlo.transpose"(%19) <{permutation = array<i64: 1, 0, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a"}]>]>} : (tensor<16x8x3xf32>) -> tensor<8x16x3xf32>
    %22 = "stablehlo.add"(%18, %18) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "c"}, {}, {"b"}]>]>} : (tensor<6x2x32x1xf32>, tensor<6x2x32x1xf32>) -> tensor<6x2x32x1xf32>
    %23 = "sdy.reshard"(%21) <{sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}> : (tensor<8x16x3xf32>) -> tensor<8x16x3xf32>
    "func.return"(%5, %6, %7, %16, %20, %22) : (tensor<1x4x3xf32>, tensor<8x1xf32>, tensor<16x8x3xf32>, tensor<16x8x8xf32>, tensor<16x8x3xf32>, tensor<6x2x32x1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
