"builtin.module"() <{sym_name = "contraction_before_broadcast"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], function_type = (tensor<8xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8xf32>, %1: tensor<8x4xf32>):
    %2 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<8xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.dot_general"(%2, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
    "func.return"(%3) : (tensor<16x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
