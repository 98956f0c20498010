"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(2)2}p1, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}p0]>}, {}], function_type = (tensor<4x3x1xf32>, tensor<2xf32>, tensor<1x1xf32>, tensor<6xf32>) -> (tensor<2xf32>, tensor<6x1xf32>, tensor<4x3x1xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {?}p1]>}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<4x3x1xf32>, %arg3: tensor<2xf32>, %arg4: tensor<1x1xf32>, %arg5: tensor<6xf32>):
    %10 = "sdy.manual_computation"(%arg4) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}]>]>}> ({
    ^bb0(%arg16: tensor<1x1xf32>):
      %51 = "stablehlo.tanh"(%arg16) {x = 1 : i64} : (tensor<1x1xf32>) -> tensor<1x1xf32>
      %52 = "stablehlo.add"(%51, %arg16) {x = 1 : i64} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
      "sdy.return"(%52) : (tensor<1x1xf32>) -> ()
    }) : (tensor<1x1xf32>) -> tensor<1x1xf32>
    %11 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.dynamic_slice"(%arg2, %11, %12, %13) <{slice_sizes = array<i64: 4, 3, 1>}> : (tensor<4x3x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x3x1xf32>
    %15 = "stablehlo.multiply"(%arg3, %arg3) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %16 = "func.call"(%arg5) <{callee = @f0}> : (tensor<6xf32>) -> tensor<6xf32>
    %17 = "stablehlo.reshape"(%16) : (tensor<6xf32>) -> tensor<6x1xf32>
    %18 = "stablehlo.reshape"(%arg5) : (tensor<6xf32>) -> tensor<6xf32>
    %19 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %20 = "stablehlo.reduce"(%10, %19) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %50 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%50) : (tensor<f32>) -> ()
    }) : (tensor<1x1xf32>, tensor<f32>) -> tensor<1xf32>
    %21 = "stablehlo.abs"(%14) : (tensor<4x3x1xf32>) -> tensor<4x3x1xf32>
    %22 = "func.call"(%16) <{callee = @f1}> : (tensor<6xf32>) -> tensor<6xf32>
    %23 = "func.call"(%22) <{callee = @f1}> : (tensor<6xf32>) -> tensor<6xf32>
    %24 = "stablehlo.add"(%18, %18) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %25 = "stablehlo.multiply"(%20, %20) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %27:2 = "stablehlo.while"(%26, %23) ({
    ^bb0(%arg12: tensor<i32>, %arg13: tensor<6xf32>):
      %49 = "stablehlo.compare"(%arg12, %arg12) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%49) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg10: tensor<i32>, %arg11: tensor<6xf32>):
      %47 = "stablehlo.exponential"(%arg11) : (tensor<6xf32>) -> tensor<6xf32>
      %48 = "stablehlo.add"(%47, %23) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%arg10, %48) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %28 = "sdy.sharding_constraint"(%20) <{sharding = #sdy.sharding<@mesh, [{"b":(2)2, ?}p3], replicated={"a"}>}> : (tensor<1xf32>) -> tensor<1xf32>
    %29 = "sdy.sharding_constraint"(%23) <{sharding = #sdy.sharding<@mesh, [{?}p1]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %30 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %32 = "stablehlo.subtract"(%25, %31) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %33 = "stablehlo.tanh"(%27#1) : (tensor<6xf32>) -> tensor<6xf32>
    %34 = "stablehlo.concatenate"(%27#1, %33) <{dimension = 0 : i64}> : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %35 = "stablehlo.transpose"(%27#1) <{permutation = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6xf32>
    %36 = "stablehlo.multiply"(%35, %29) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %37 = "sdy.sharding_constraint"(%35) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %38 = "sdy.sharding_constraint"(%36) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %39 = "stablehlo.concatenate"(%35, %35) <{dimension = 0 : i64}> : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %40 = "stablehlo.subtract"(%35, %27#1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %41 = "sdy.propagation_barrier"(%36) <{allowed_direction = 2 : i32}> : (tensor<6xf32>) -> tensor<6xf32>
    %42 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %43:2 = "stablehlo.while"(%42, %36) ({
    ^bb0(%arg8: tensor<i32>, %arg9: tensor<6xf32>):
      %46 = "stablehlo.compare"(%arg8, %arg8) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%46) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg6: tensor<i32>, %arg7: tensor<6xf32>):
      %44 = "stablehlo.abs"(%arg7) : (tensor<6xf32>) -> tensor<6xf32>
      %45 = "stablehlo.add"(%44, %36) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%arg6, %45) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    "func.return"(%15, %17, %21, %24, %28, %32) : (tensor<2xf32>, tensor<6x1xf32>, tensor<4x3x1xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xf32>) -> tensor<6xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg1: tensor<6xf32>):
    %5 = "stablehlo.tanh"(%arg1) : (tensor<6xf32>) -> tensor<6xf32>
    %6 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %8 = "stablehlo.add"(%5, %7) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %9 = "sdy.sharding_constraint"(%8) <{sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%9) : (tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xf32>) -> tensor<6xf32>, sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %4 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, [{"b", "a", ?}p0]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%4) : (tensor<6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
