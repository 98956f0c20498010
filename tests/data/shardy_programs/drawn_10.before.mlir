"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {}, {}], function_type = (tensor<4xf32>, tensor<16x6xf32>, tensor<3x1x16xf32>, tensor<2x4xf32>) -> (tensor<4xf32>, tensor<6x4x2xf32>, tensor<8x6xf32>, tensor<3x1x16xf32>, tensor<6x16xf32>, tensor<6x2x4xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {"b", ?}]>}, {}, {}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<4xf32>, %arg2: tensor<16x6xf32>, %arg3: tensor<3x1x16xf32>, %arg4: tensor<2x4xf32>):
    %5 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<4xf32>}> : () -> tensor<4xf32>
    %6 = "stablehlo.subtract"(%arg1, %5) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %7 = "stablehlo.reshape"(%arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {?}]>]>} : (tensor<3x1x16xf32>) -> tensor<6x4x2xf32>
    "sdy.sharding_group"(%arg2) <{group_id = 0 : i64}> : (tensor<16x6xf32>) -> ()
    %8 = "stablehlo.abs"(%arg3) : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %9 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %10 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %11 = "stablehlo.dynamic_slice"(%arg2, %9, %10) <{slice_sizes = array<i64: 8, 6>}> : (tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    %12 = "func.call"(%8) <{callee = @f0}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %13 = "func.call"(%12) <{callee = @f0}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %14 = "stablehlo.subtract"(%8, %arg3) : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %15 = "stablehlo.abs"(%arg2) : (tensor<16x6xf32>) -> tensor<16x6xf32>
    %16 = "stablehlo.subtract"(%8, %8) : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %17 = "stablehlo.reshape"(%15) : (tensor<16x6xf32>) -> tensor<6x16xf32>
    %18 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %19 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %20 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %21 = "stablehlo.dynamic_slice"(%16, %18, %19, %20) <{slice_sizes = array<i64: 3, 1, 16>}> : (tensor<3x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x16xf32>
    %22 = "stablehlo.reshape"(%14) : (tensor<3x1x16xf32>) -> tensor<6x2x4xf32>
    %23 = "stablehlo.tanh"(%16) : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %24 = "stablehlo.abs"(%21) : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %25 = "stablehlo.maximum"(%22, %22) : (tensor<6x2x4xf32>, tensor<6x2x4xf32>) -> tensor<6x2x4xf32>
    %26 = "sdy.sharding_constraint"(%24) <{sharding = #sdy.sharding<@mesh, [{}, {}, {?}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %27 = "sdy.sharding_constraint"(%24) <{sharding = #sdy.sharding<@mesh, [{"a"}, {?}, {"b"}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %28 = "sdy.sharding_constraint"(%23) <{sharding = #sdy.sharding<@mesh, [{"a", "b":(1)2}, {}, {?}]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %29 = "stablehlo.add"(%27, %8) : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    "func.return"(%6, %7, %11, %13, %17, %25) : (tensor<4xf32>, tensor<6x4x2xf32>, tensor<8x6xf32>, tensor<3x1x16xf32>, tensor<6x16xf32>, tensor<6x2x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x1x16xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x1x16xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<3x1x16xf32>, tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    %4 = "sdy.sharding_constraint"(%3) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}p0, {"b":(2)2, "a"}, {?}p2]>}> : (tensor<3x1x16xf32>) -> tensor<3x1x16xf32>
    "func.return"(%4) : (tensor<3x1x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
