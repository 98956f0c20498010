"builtin.module"() <{sym_name = "broadcast_backward"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], function_type = (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x16xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8xf32>, %1: tensor<8x4xf32>):
    %2 = "stablehlo.dot_general"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64: 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8xf32>) -> tensor<8x16xf32>
    "func.return"(%2, %3) : (tensor<4xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
