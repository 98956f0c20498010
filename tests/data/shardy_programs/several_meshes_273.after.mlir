"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<["p"=2, "q"=2]>, sym_name = "other"}> : () -> ()
  "sdy.mesh"() <{mesh = #sdy.mesh<[], device_ids=[1]>, sym_name = "one_device"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@other, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"b", "a"}]>}], function_type = (tensor<6xf32>, tensor<6x3x4xf32>, tensor<4xf32>, tensor<2x16x12xf32>) -> (tensor<3xf32>, tensor<3x3xf32>, tensor<3x4x3xf32>, tensor<16x2xf32>, tensor<3x4x3xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<6xf32>, %1: tensor<6x3x4xf32>, %2: tensor<4xf32>, %3: tensor<2x16x12xf32>):
    %4 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<6x3xf32>}> : () -> tensor<6x3xf32>
    %5 = "stablehlo.tanh"(%4) : (tensor<6x3xf32>) -> tensor<6x3xf32>
    %6 = "stablehlo.dot_general"(%1, %5) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6x3x4xf32>, tensor<6x3xf32>) -> tensor<3x4x3xf32>
    %7 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %8 = "stablehlo.reduce"(%6, %7) <{dimensions = array<i64: 1>}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>):
      %11 = "stablehlo.add"(%9, %10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%11) : (tensor<f32>) -> ()
    }) : (tensor<3x4x3xf32>, tensor<f32>) -> tensor<3x3xf32>
    %12 = "stablehlo.dot_general"(%0, %4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<6xf32>, tensor<6x3xf32>) -> tensor<3xf32>
    %13 = "stablehlo.transpose"(%3) <{permutation = array<i64: 1, 2, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {"b", "a"}, {}]>]>} : (tensor<2x16x12xf32>) -> tensor<16x12x2xf32>
    %14 = "stablehlo.subtract"(%12, %12) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %15 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.dynamic_slice"(%6, %15, %15, %15) <{slice_sizes = array<i64: 3, 4, 1>}> : (tensor<3x4x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x1xf32>
    %17 = "stablehlo.dynamic_update_slice"(%6, %16, %15, %15, %15) : (tensor<3x4x3xf32>, tensor<3x4x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x4x3xf32>
    %18 = "stablehlo.subtract"(%13, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {"b", "a"}, {}]>]>} : (tensor<16x12x2xf32>, tensor<16x12x2xf32>) -> tensor<16x12x2xf32>
    %19 = "func.call"(%8) <{callee = @f0}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %20 = "func.call"(%19) <{callee = @f0}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %21 = "stablehlo.abs"(%20) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %22 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> {sdy.sharding = #sdy.sharding_per_value<[<@other, []>]>} : () -> tensor<f32>
    %23 = "stablehlo.reduce"(%18, %22) <{dimensions = array<i64: 1>}> ({
    ^bb0(%24: tensor<f32>, %25: tensor<f32>):
      %26 = "stablehlo.add"(%24, %25) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%26) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<16x12x2xf32>, tensor<f32>) -> tensor<16x2xf32>
    %27 = "stablehlo.add"(%23, %23) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}], unreduced={"b"}>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %28 = "sdy.propagation_barrier"(%17) <{allowed_direction = 2 : i32, sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}> : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %29 = "stablehlo.maximum"(%27, %27) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %30 = "sdy.manual_computation"(%28) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>}> ({
    ^bb0(%31: tensor<3x4x3xf32>):
      %32 = "stablehlo.tanh"(%31) {x = 1 : i64} : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
      %33 = "stablehlo.add"(%32, %31) {x = 1 : i64} : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
      "sdy.return"(%33) : (tensor<3x4x3xf32>) -> ()
    }) : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %34 = "stablehlo.maximum"(%30, %28) : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    %35 = "stablehlo.subtract"(%23, %29) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<16x2xf32>, tensor<16x2xf32>) -> tensor<16x2xf32>
    %36 = "stablehlo.negate"(%30) : (tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
    "func.return"(%14, %21, %34, %35, %36) : (tensor<3xf32>, tensor<3x3xf32>, tensor<3x4x3xf32>, tensor<16x2xf32>, tensor<3x4x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x3xf32>) -> tensor<3x3xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%37: tensor<3x3xf32>):
    %38 = "stablehlo.tanh"(%37) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %39 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<3x3xf32>}> : () -> tensor<3x3xf32>
    %40 = "stablehlo.add"(%38, %39) : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    "func.return"(%40) : (tensor<3x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
