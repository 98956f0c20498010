"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", "a"}p0]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}p1], replicated={"a"}>}, {}], function_type = (tensor<16x3xf32>, tensor<2xf32>, tensor<12xf32>, tensor<6x1x4xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<6x1x4xf32>, tensor<6x1x4xf32>, tensor<4x3xf32>, tensor<6xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}, {}, {}, {}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x3xf32>, %1: tensor<2xf32>, %2: tensor<12xf32>, %3: tensor<6x1x4xf32>):
    %4 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %5 = "stablehlo.add"(%2, %4) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %6 = "sdy.sharding_constraint"(%2) <{sharding = #sdy.sharding<@mesh, [{"a"}]>}> : (tensor<12xf32>) -> tensor<12xf32>
    %7 = "stablehlo.multiply"(%5, %2) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %8 = "stablehlo.sine"(%3) : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %9 = "func.call"(%2) <{callee = @f0}> : (tensor<12xf32>) -> tensor<12xf32>
    %10 = "func.call"(%9) <{callee = @f0}> : (tensor<12xf32>) -> tensor<12xf32>
    %11 = "stablehlo.slice"(%7) <{limit_indices = array<i64: 6>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<12xf32>) -> tensor<6xf32>
    %12 = "stablehlo.abs"(%5) : (tensor<12xf32>) -> tensor<12xf32>
    %13 = "stablehlo.reverse"(%8) <{dimensions = array<i64: 1>}> : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %14 = "sdy.sharding_constraint"(%8) <{sharding = #sdy.sharding<@mesh, [{}, {?}, {}]>}> : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %15 = "stablehlo.tanh"(%11) : (tensor<6xf32>) -> tensor<6xf32>
    %16 = "func.call"(%12) <{callee = @f1}> : (tensor<12xf32>) -> tensor<12xf32>
    %17 = "func.call"(%16) <{callee = @f1}> : (tensor<12xf32>) -> tensor<12xf32>
    %18 = "stablehlo.maximum"(%11, %11) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = "stablehlo.reshape"(%17) : (tensor<12xf32>) -> tensor<4x3xf32>
    %20 = "stablehlo.add"(%15, %15) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %21 = "stablehlo.exponential"(%18) : (tensor<6xf32>) -> tensor<6xf32>
    %22 = "stablehlo.negate"(%20) : (tensor<6xf32>) -> tensor<6xf32>
    %23 = "stablehlo.tanh"(%18) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %24 = "sdy.sharding_constraint"(%20) <{sharding = #sdy.sharding<@mesh, [{?}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %25 = "stablehlo.maximum"(%20, %20) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %26 = "sdy.manual_computation"(%25) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>}> ({
    ^bb0(%27: tensor<3xf32>):
      %28 = "stablehlo.tanh"(%27) {x = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %29 = "stablehlo.add"(%28, %27) {x = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "sdy.return"(%29) : (tensor<3xf32>) -> ()
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %30 = "stablehlo.maximum"(%23, %20) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %31 = "stablehlo.add"(%23, %22) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %32 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %33:2 = "stablehlo.while"(%32, %26) ({
    ^bb0(%34: tensor<i32>, %35: tensor<6xf32>):
      %36 = "stablehlo.compare"(%34, %34) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%36) : (tensor<i1>) -> ()
    }, {
    ^bb0(%37: tensor<i32>, %38: tensor<6xf32>):
      %39 = "stablehlo.tanh"(%38) : (tensor<6xf32>) -> tensor<6xf32>
      %40 = "stablehlo.add"(%39, %26) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %41 = "sdy.sharding_constraint"(%40) <{sharding = #sdy.sharding<@mesh, [{"c"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%37, %41) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %42 = "stablehlo.subtract"(%31, %33#1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%6, %10, %13, %14, %19, %21) : (tensor<12xf32>, tensor<12xf32>, tensor<6x1x4xf32>, tensor<6x1x4xf32>, tensor<4x3xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12xf32>) -> tensor<12xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%43: tensor<12xf32>):
    %44 = "stablehlo.tanh"(%43) : (tensor<12xf32>) -> tensor<12xf32>
    %45 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %46 = "stablehlo.add"(%44, %45) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    "func.return"(%46) : (tensor<12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12xf32>) -> tensor<12xf32>, sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%47: tensor<12xf32>):
    %48 = "stablehlo.tanh"(%47) : (tensor<12xf32>) -> tensor<12xf32>
    %49 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %50 = "stablehlo.add"(%48, %49) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %51 = "sdy.sharding_constraint"(%50) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<12xf32>) -> tensor<12xf32>
    "func.return"(%51) : (tensor<12xf32>) -> ()
  }) : () -> ()
}) : () -> ()
