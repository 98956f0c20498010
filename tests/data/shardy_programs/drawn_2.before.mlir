"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p3, {"b":(1)2}, {"b":(2)2, ?}]>}], function_type = (tensor<6xf32>, tensor<4x1xf32>, tensor<3x12x12xf32>) -> (tensor<4x1xf32>, tensor<6xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x6x12x12xf32>), res_attrs = [{}, {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}p0, {"a", ?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}, {?}]>}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg1: tensor<6xf32>, %arg2: tensor<4x1xf32>, %arg3: tensor<3x12x12xf32>):
    %4 = "stablehlo.broadcast_in_dim"(%arg2) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xf32>) -> tensor<4x1xf32>
    "sdy.sharding_group"(%arg3) <{group_id = 0 : i64}> : (tensor<3x12x12xf32>) -> ()
    %5 = "stablehlo.negate"(%arg3) : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %6 = "stablehlo.negate"(%arg1) : (tensor<6xf32>) -> tensor<6xf32>
    %7 = "stablehlo.multiply"(%5, %5) : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9:2 = "stablehlo.while"(%8, %5) ({
    ^bb0(%arg6: tensor<i32>, %arg7: tensor<3x12x12xf32>):
      %34 = "stablehlo.compare"(%arg6, %arg6) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%34) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg4: tensor<i32>, %arg5: tensor<3x12x12xf32>):
      %32 = "stablehlo.sine"(%arg5) : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
      %33 = "stablehlo.add"(%32, %5) : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
      "stablehlo.return"(%arg4, %33) : (tensor<i32>, tensor<3x12x12xf32>) -> ()
    }) : (tensor<i32>, tensor<3x12x12xf32>) -> (tensor<i32>, tensor<3x12x12xf32>)
    %10 = "stablehlo.multiply"(%5, %7) : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %11 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 2, 3>}> : (tensor<3x12x12xf32>) -> tensor<3x6x12x12xf32>
    %12 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %13 = "stablehlo.reverse"(%12) <{dimensions = array<i64: 0>}> : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %14 = "func.call"(%13) <{callee = @f0}> : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %15 = "func.call"(%14) <{callee = @f0}> : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %16 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %17 = "stablehlo.negate"(%16) : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %18 = "stablehlo.tanh"(%11) : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %19 = "stablehlo.reshape"(%13) : (tensor<3x12x12xf32>) -> tensor<8x3x18xf32>
    %20 = "stablehlo.add"(%13, %arg3) : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %21 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<3x6x12x12xf32>}> : () -> tensor<3x6x12x12xf32>
    %22 = "stablehlo.add"(%16, %21) : (tensor<3x6x12x12xf32>, tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %23 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %24 = "stablehlo.broadcast_in_dim"(%23) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x6x12x12xf32>
    %25 = "stablehlo.add"(%16, %24) : (tensor<3x6x12x12xf32>, tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %26 = "sdy.sharding_constraint"(%17) <{sharding = #sdy.sharding<@mesh, [{"a"}p2, {?}, {?}p3, {}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %27 = "sdy.sharding_constraint"(%22) <{sharding = #sdy.sharding<@mesh, [{?}, {}, {?}, {?}p3]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %28 = "stablehlo.reshape"(%27) : (tensor<3x6x12x12xf32>) -> tensor<1x2592xf32>
    %29 = "stablehlo.negate"(%22) : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %30 = "sdy.sharding_constraint"(%29) <{sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {?}, {?}p3, {"a", ?}p0]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    %31 = "sdy.sharding_constraint"(%26) <{sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}p3, {?}, {}]>}> : (tensor<3x6x12x12xf32>) -> tensor<3x6x12x12xf32>
    "func.return"(%4, %6, %9#1, %10, %15, %18) : (tensor<4x1xf32>, tensor<6xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x12x12xf32>, tensor<3x6x12x12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<3x12x12xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    %1 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %2 = "stablehlo.broadcast_in_dim"(%1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3x12x12xf32>
    %3 = "stablehlo.add"(%0, %2) : (tensor<3x12x12xf32>, tensor<3x12x12xf32>) -> tensor<3x12x12xf32>
    "func.return"(%3) : (tensor<3x12x12xf32>) -> ()
  }) : () -> ()
}) : () -> ()
