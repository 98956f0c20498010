"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@other, [{?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", ?}, {"b", "a"}]>}], function_type = (tensor<6xf32>, tensor<6x3x4xf32>, tensor<4xf32>, tensor<2x16x12xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3x4x3xf32>, tensor<16x2xf32>, tensor<3x4x3xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<6xf32>, %arg2: tensor<6x3x4xf32>, %arg3: tensor<4xf32>, %arg4: tensor<2x16x12xf32>):
    %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<6x3xf32>}> : () -> tensor<6x3xf32>
    %4 = "stablehlo.tanh"(%3) : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %5 = "stablehlo.dot_general"(%arg2, %4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6x3x4xf32>, tensor<6x3xf32>) -> tensor<3x4x3xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %33 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%33) : (tensor<f32>) -> ()
    }) : (tensor<3x4x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %8 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<6x3xf32>}> : () -> tensor<6x3xf32>
    %9 = "stablehlo.dot_general"(%arg1, %8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6xf32>, tensor<6x3xf32>) -> tensor<3xf32>
    %10 = "stablehlo.transpose"(%arg4) <{permutation = array<i64: 1, 2, 0>}> : (tensor<2x16x12xf32>) -> tensor<16x12x2xf32>
    %11 = "stablehlo.subtract"(%9, %9) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %14 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %15 = "stablehlo.dynamic_slice"(%5, %12, %13, %14) <{slice_sizes = array<i64: 3, 4, 1>}> : (tensor<3x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x1xf32>
    %16 = "stablehlo.dynamic_update_slice"(%5, %15, %12, %13, %14) : (tensor<3x4x3xf32>, tensor<3x4x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x3xf32>
    %17 = "stablehlo.subtract"(%10, %10) : (tensor<16x12x2xf32>, tensor<16x12x2xf32>) -> tensor<16x12x2xf32>
    %18 = "func.call"(%7) <{callee = @f0}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %19 = "func.call"(%18) <{callee = @f0}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %20 = "stablehlo.abs"(%19) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %21 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> {sdy.sharding = #sdy.sharding_per_value<[<@other, []>]>} : () -> tensor<f32>
    %22 = "stablehlo.reduce"(%17, %21) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %32 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%32) : (tensor<f32>) -> ()
    }) : (tensor<16x12x2xf32>, tensor<f32>) -> tensor<16x2xf32>
    %23 = "stablehlo.add"(%22, %22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {?}], unreduced={"b"}>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %24 = "sdy.propagation_barrier"(%16) <{allowed_direction = 2 : i32}> : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %25 = "stablehlo.maximum"(%23, %23) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %26 = "sdy.manual_computation"(%24) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {?}]>]>}> ({
    ^bb0(%arg5: tensor<3x4x3xf32>):
      %30 = "stablehlo.tanh"(%arg5) {x = 1 : i64} : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
      %31 = "stablehlo.add"(%30, %arg5) {x = 1 : i64} : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
      "sdy.return"(%31) : (tensor<3x4x3xf32>) -> ()
    }) : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %27 = "stablehlo.maximum"(%26, %24) : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %28 = "stablehlo.subtract"(%22, %25) : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %29 = "stablehlo.negate"(%26) : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    "func.return"(%11, %20, %27, %28, %29) : (tensor<3xf32>, tensor<3x3xf32>, tensor<3x4x3xf32>, tensor<16x2xf32>, tensor<3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf32>) -> tensor<3x3xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x3xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<3x3xf32>}> : () -> tensor<3x3xf32>
    %2 = "stablehlo.add"(%0, %1) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%2) : (tensor<3x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
