"builtin.module"() <{sym_name = "conflicts"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<8x16xf32>, tensor<16x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<5x32xf32>, tensor<32x8xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<8x32xf32>, %arg3: tensor<8x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = "stablehlo.add"(%0, %arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %2 = "stablehlo.subtract"(%1, %arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %3 = "stablehlo.slice"(%2) <{limit_indices = array<i64: 6, 32>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x32xf32>) -> tensor<5x32xf32>
    %4 = "stablehlo.transpose"(%2) <{permutation = array<i64: 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %5 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<f32>) -> tensor<32x8xf32>
    %7 = "stablehlo.multiply"(%4, %6) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %8 = "stablehlo.add"(%6, %7) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    "func.return"(%2, %3, %8) : (tensor<8x32xf32>, tensor<5x32xf32>, tensor<32x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
