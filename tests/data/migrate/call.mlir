"builtin.module"() <{sym_name = "called"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {}], function_type = (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<16x64xf32>, %arg2: tensor<64x64xf32>):
    %1 = "stablehlo.dot_general"(%arg1, %arg2) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
    %2 = "func.call"(%1) <{callee = @f}> : (tensor<16x64xf32>) -> tensor<16x64xf32>
    "func.return"(%2) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<16x64xf32>) -> tensor<16x64xf32>, sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<16x64xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<16x64xf32>) -> tensor<16x64xf32>
    "func.return"(%0) : (tensor<16x64xf32>) -> ()
  }) : () -> ()
}) : () -> ()
