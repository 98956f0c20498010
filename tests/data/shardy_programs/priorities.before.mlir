"builtin.module"() <{sym_name = "priorities"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}p1]>}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}p2]>}], function_type = (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}p3, {?}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<8x32xf32>) -> tensor<8x32xf32>
    %2 = "sdy.sharding_constraint"(%1) <{sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}p1]>}> : (tensor<8x32xf32>) -> tensor<8x32xf32>
    "func.return"(%2) : (tensor<8x32xf32>) -> ()
  }) : () -> ()
}) : () -> ()
