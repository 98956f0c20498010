"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}], replicated={"a"}>}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}], function_type = (tensor<4xf32>, tensor<6xf32>, tensor<16x8xf32>, tensor<8x12x6xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, []>}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<4xf32>, %1: tensor<6xf32>, %2: tensor<16x8xf32>, %3: tensor<8x12x6xf32>):
    %4 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"c"}]>}> : (tensor<4xf32>) -> tensor<4xf32>
    %5 = "stablehlo.add"(%2, %2) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %6 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%1, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = "stablehlo.add"(%8, %9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %11 = "stablehlo.sine"(%5) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %12 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %13:2 = "stablehlo.while"(%12, %5) ({
    ^bb0(%14: tensor<i32>, %15: tensor<16x8xf32>):
      %16 = "stablehlo.compare"(%14, %14) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%16) : (tensor<i1>) -> ()
    }, {
    ^bb0(%17: tensor<i32>, %18: tensor<16x8xf32>):
      %19 = "stablehlo.abs"(%18) : (tensor<16x8xf32>) -> tensor<16x8xf32>
      %20 = "stablehlo.add"(%19, %5) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
      "stablehlo.return"(%17, %20) : (tensor<i32>, tensor<16x8xf32>) -> ()
    }) : (tensor<i32>, tensor<16x8xf32>) -> (tensor<i32>, tensor<16x8xf32>)
    %21 = "stablehlo.sine"(%5) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %22 = "stablehlo.maximum"(%13#1, %2) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %23 = "sdy.manual_computation"(%13#1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>}> ({
    ^bb0(%24: tensor<8x8xf32>):
      %25 = "stablehlo.tanh"(%24) {x = 1 : i64} : (tensor<8x8xf32>) -> tensor<8x8xf32>
      %26 = "stablehlo.add"(%25, %24) {x = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      "sdy.return"(%26) : (tensor<8x8xf32>) -> ()
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %27 = "sdy.manual_computation"(%13#1) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>}> ({
    ^bb0(%28: tensor<16x4xf32>):
      %29 = "stablehlo.tanh"(%28) {x = 1 : i64} : (tensor<16x4xf32>) -> tensor<16x4xf32>
      %30 = "stablehlo.add"(%29, %28) {x = 1 : i64} : (tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
      "sdy.return"(%30) : (tensor<16x4xf32>) -> ()
    }) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %31 = "stablehlo.multiply"(%23, %21) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %32 = "stablehlo.slice"(%23) <{limit_indices = array<i64: 8, 8>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %33 = "stablehlo.concatenate"(%23, %23) <{dimension = 1 : i64}> : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
    %34 = "stablehlo.maximum"(%33, %33) : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
    %35 = "stablehlo.abs"(%27) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %36 = "stablehlo.negate"(%35) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %37 = "stablehlo.sine"(%36) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %38 = "stablehlo.concatenate"(%34, %34) <{dimension = 1 : i64}> : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x32xf32>
    %39 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<16x12xf32>}> : () -> tensor<16x12xf32>
    %40 = "stablehlo.tanh"(%39) : (tensor<16x12xf32>) -> tensor<16x12xf32>
    %41 = "stablehlo.dot_general"(%33, %40) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<16x16xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
    %42 = "sdy.propagation_barrier"(%41) <{allowed_direction = 2 : i32}> : (tensor<16x12xf32>) -> tensor<16x12xf32>
    %43 = "stablehlo.maximum"(%38, %38) : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    "func.return"(%4, %7, %11, %22, %31, %32) : (tensor<4xf32>, tensor<f32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
