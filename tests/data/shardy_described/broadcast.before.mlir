"builtin.module"() <{sym_name = "described_broadcast"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}], function_type = (tensor<8xf32>, tensor<8x4xf32>) -> (tensor<4xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8xf32>, %arg1: tensor<8x4xf32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg0) <{broadcast_dimensions = array<i64: 0>}> : (tensor<8xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.tanh"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {?}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<8xf32>, tensor<8x4xf32>) -> tensor<4xf32>
    "func.return"(%2, %1) : (tensor<4xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
