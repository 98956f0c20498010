"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}, {"b":(2)2}]>}], function_type = (tensor<3x12x16xf32>, tensor<16x16x16xf32>, tensor<4x4xf32>, tensor<8x16x4xf32>) -> (tensor<8x16x4xf32>, tensor<8x16x8xf32>, tensor<16x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x8x4xf32>), res_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}], replicated={"a"}>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2, "a"}, {"b":(1)2}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<3x12x16xf32>, %arg1: tensor<16x16x16xf32>, %arg2: tensor<4x4xf32>, %arg3: tensor<8x16x4xf32>):
    %0 = "sdy.manual_computation"(%arg3) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a", ?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"a", ?}]>]>}> ({
    ^bb0(%arg8: tensor<8x16x2xf32>):
      %23 = "stablehlo.tanh"(%arg8) {x = 1 : i64} : (tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
      %24 = "stablehlo.add"(%23, %arg8) {x = 1 : i64} : (tensor<8x16x2xf32>, tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
      "sdy.return"(%24) : (tensor<8x16x2xf32>) -> ()
    }) : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %1 = "stablehlo.subtract"(%0, %0) : (tensor<8x16x4xf32>, tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %2 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}> : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %3 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %4 = "stablehlo.broadcast_in_dim"(%3) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x8xf32>
    %5 = "stablehlo.dot_general"(%0, %4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<8x16x4xf32>, tensor<4x8xf32>) -> tensor<8x16x8xf32>
    %6 = "stablehlo.concatenate"(%0, %0) <{dimension = 0 : i64}> : (tensor<8x16x4xf32>, tensor<8x16x4xf32>) -> tensor<16x16x4xf32>
    %7 = "stablehlo.abs"(%1) : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.dynamic_slice"(%7, %8, %9, %10) <{slice_sizes = array<i64: 8, 8, 4>}> : (tensor<8x16x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x8x4xf32>
    %12 = "sdy.sharding_constraint"(%7) <{sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}, {?}]>}> : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %13 = "stablehlo.maximum"(%11, %11) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    %14 = "sdy.sharding_constraint"(%13) <{sharding = #sdy.sharding<@mesh, [{}, {"b", "a"}, {?}]>}> : (tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    %15 = "stablehlo.tanh"(%7) : (tensor<8x16x4xf32>) -> tensor<8x16x4xf32>
    %16 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<8x8x4xf32>}> : () -> tensor<8x8x4xf32>
    %17 = "stablehlo.maximum"(%14, %16) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
    "sdy.sharding_group"(%14) <{group_id = 0 : i64}> : (tensor<8x8x4xf32>) -> ()
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %19:2 = "stablehlo.while"(%18, %13) ({
    ^bb0(%arg6: tensor<i32>, %arg7: tensor<8x8x4xf32>):
      %22 = "stablehlo.compare"(%arg6, %arg6) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%22) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<8x8x4xf32>):
      %20 = "stablehlo.exponential"(%arg5) : (tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
      %21 = "stablehlo.add"(%20, %13) : (tensor<8x8x4xf32>, tensor<8x8x4xf32>) -> tensor<8x8x4xf32>
      "stablehlo.return"(%arg4, %21) : (tensor<i32>, tensor<8x8x4xf32>) -> ()
    }) : (tensor<i32>, tensor<8x8x4xf32>) -> (tensor<i32>, tensor<8x8x4xf32>)
    "func.return"(%2, %5, %6, %12, %15, %17) : (tensor<8x16x4xf32>, tensor<8x16x8xf32>, tensor<16x16x4xf32>, tensor<8x16x4xf32>, tensor<8x16x4xf32>, tensor<8x8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
