"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", "a", ?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}], function_type = (tensor<12xf32>, tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>), res_attrs = [{}, {}, {}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<12xf32>, %arg2: tensor<1x3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>):
    %4 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<12x1xf32>
    %6 = "stablehlo.tanh"(%5) : (tensor<12x1xf32>) -> tensor<12x1xf32>
    %7 = "stablehlo.dot_general"(%arg1, %6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<12xf32>, tensor<12x1xf32>) -> tensor<1xf32>
    %8 = "stablehlo.abs"(%arg4) : (tensor<3xf32>) -> tensor<3xf32>
    %9 = "sdy.manual_computation"(%arg3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>}> ({
    ^bb0(%arg5: tensor<3xf32>):
      %20 = "stablehlo.tanh"(%arg5) {x = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %21 = "stablehlo.add"(%20, %arg5) {x = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "sdy.return"(%21) : (tensor<3xf32>) -> ()
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %10 = "sdy.propagation_barrier"(%arg2) <{allowed_direction = 2 : i32}> : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %11 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %13 = "stablehlo.add"(%8, %12) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %14 = "sdy.sharding_constraint"(%7) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2, "a", ?}]>}> : (tensor<1xf32>) -> tensor<1xf32>
    %15 = "stablehlo.negate"(%8) : (tensor<3xf32>) -> tensor<3xf32>
    %16 = "stablehlo.abs"(%9) : (tensor<3xf32>) -> tensor<3xf32>
    %17 = "stablehlo.multiply"(%16, %9) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %18 = "stablehlo.tanh"(%14) : (tensor<1xf32>) -> tensor<1xf32>
    %19 = "func.call"(%18) <{callee = @f0}> : (tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%10, %13, %15, %17, %19) : (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1xf32>) -> tensor<1xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<1xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<1xf32>) -> tensor<1xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%3) : (tensor<1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
