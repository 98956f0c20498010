"builtin.module"() <{sym_name = "control_flow"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}], function_type = (tensor<8x16xf32>, tensor<i32>, tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<8x16xf32>, %arg3: tensor<i32>, %arg4: tensor<16x16xf32>):
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5 = "stablehlo.constant"() <{value = dense<3> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %7:3 = "stablehlo.while"(%4, %arg2, %arg4) ({
    ^bb0(%arg8: tensor<i32>, %arg9: tensor<8x16xf32>, %arg10: tensor<16x16xf32>):
      %17 = "stablehlo.compare"(%arg8, %5) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%17) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<8x16xf32>, %arg7: tensor<16x16xf32>):
      %14 = "stablehlo.dot_general"(%arg6, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
      %15 = "func.call"(%14, %arg6) <{callee = @body}> : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
      %16 = "stablehlo.add"(%arg5, %6) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%16, %15, %arg7) : (tensor<i32>, tensor<8x16xf32>, tensor<16x16xf32>) -> ()
    }) : (tensor<i32>, tensor<8x16xf32>, tensor<16x16xf32>) -> (tensor<i32>, tensor<8x16xf32>, tensor<16x16xf32>)
    %8 = "stablehlo.case"(%arg3) ({
      %13 = "stablehlo.tanh"(%7#1) : (tensor<8x16xf32>) -> tensor<8x16xf32>
      "stablehlo.return"(%13) : (tensor<8x16xf32>) -> ()
    }, {
      "stablehlo.return"(%arg2) : (tensor<8x16xf32>) -> ()
    }) : (tensor<i32>) -> tensor<8x16xf32>
    %9:2 = "stablehlo.optimization_barrier"(%8, %7#1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
    %10 = "func.call"(%9#0, %9#1) <{callee = @body}> : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = "sdy.propagation_barrier"(%10) <{allowed_direction = 1 : i32}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %12 = "sdy.sharding_constraint"(%11) <{sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%10, %12) : (tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "body", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<8x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<2.000000e+00> : tensor<8x16xf32>}> : () -> tensor<8x16xf32>
    %1 = "stablehlo.multiply"(%arg0, %0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.add"(%1, %arg1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.multiply"(%2, %0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%3) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
