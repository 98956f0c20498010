"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}, {"b"}]>}, {}, {}], function_type = (tensor<1x16xf32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<3x6xf32>) -> (tensor<f32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [], replicated={"a"}>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<1x16xf32>, %arg3: tensor<8x4x12xf32>, %arg4: tensor<2xf32>, %arg5: tensor<3x6xf32>):
    %10 = "stablehlo.maximum"(%arg4, %arg4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %11 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %12 = "stablehlo.reduce"(%arg4, %11) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %45 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%45) : (tensor<f32>) -> ()
    }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.reverse"(%arg3) <{dimensions = array<i64: 1>}> : (tensor<8x4x12xf32>) -> tensor<8x4x12xf32>
    %14 = "stablehlo.multiply"(%arg4, %arg4) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %15 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2xf32>
    %17 = "stablehlo.multiply"(%arg4, %16) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %18 = "sdy.manual_computation"(%10) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}]>]>}> ({
    ^bb0(%arg6: tensor<2xf32>):
      %43 = "stablehlo.tanh"(%arg6) {x = 1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
      %44 = "stablehlo.add"(%43, %arg6) {x = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      "sdy.return"(%44) : (tensor<2xf32>) -> ()
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %19 = "stablehlo.subtract"(%10, %18) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %20 = "stablehlo.reverse"(%19) <{dimensions = array<i64: 0>}> : (tensor<2xf32>) -> tensor<2xf32>
    %21 = "stablehlo.reshape"(%14) : (tensor<2xf32>) -> tensor<2xf32>
    %22 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2xf32>}> : () -> tensor<2xf32>
    %23 = "stablehlo.multiply"(%18, %22) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %24 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %25 = "stablehlo.broadcast_in_dim"(%24) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b":(1)2, ?}]>]>} : (tensor<f32>) -> tensor<2x8xf32>
    %26 = "stablehlo.dot_general"(%23, %25) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<2xf32>, tensor<2x8xf32>) -> tensor<8xf32>
    %27 = "stablehlo.multiply"(%23, %21) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %28 = "stablehlo.multiply"(%20, %21) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %29 = "stablehlo.tanh"(%28) : (tensor<2xf32>) -> tensor<2xf32>
    %30 = "stablehlo.concatenate"(%28, %29) <{dimension = 0 : i64}> : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %31 = "func.call"(%26) <{callee = @f0}> : (tensor<8xf32>) -> tensor<8xf32>
    %32 = "func.call"(%31) <{callee = @f0}> : (tensor<8xf32>) -> tensor<8xf32>
    %33 = "sdy.sharding_constraint"(%30) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    %34 = "stablehlo.subtract"(%32, %26) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %35 = "stablehlo.subtract"(%30, %33) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %36 = "stablehlo.slice"(%28) <{limit_indices = array<i64: 1>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<1xf32>
    %37 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %38 = "stablehlo.tanh"(%37) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %39 = "stablehlo.dot_general"(%33, %38) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    %40 = "stablehlo.tanh"(%33) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}], replicated={"b"}>]>} : (tensor<4xf32>) -> tensor<4xf32>
    %41 = "func.call"(%35) <{callee = @f1}> : (tensor<4xf32>) -> tensor<4xf32>
    %42 = "stablehlo.reshape"(%40) : (tensor<4xf32>) -> tensor<1x4xf32>
    "func.return"(%12, %13, %17, %27, %34, %36) : (tensor<f32>, tensor<8x4x12xf32>, tensor<2xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<8xf32>):
    %5 = "stablehlo.tanh"(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    %6 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8xf32>
    %8 = "stablehlo.add"(%5, %7) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %9 = "sdy.sharding_constraint"(%8) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<8xf32>) -> tensor<8xf32>
    "func.return"(%9) : (tensor<8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, [{?}], replicated={"a"}>}> : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%4) : (tensor<4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
