"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=3]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 3 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}], function_type = (tensor<16x3xf32>, tensor<2xf32>, tensor<12xf32>, tensor<6x1x4xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<6x1x4xf32>, tensor<6x1x4xf32>, tensor<4x3xf32>, tensor<6xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {}, {}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x3xf32>, %1: tensor<2xf32>, %2: tensor<12xf32>, %3: tensor<6x1x4xf32>):
    %4 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : () -> tensor<12xf32>
    %5 = "stablehlo.add"(%2, %4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %6 = "sdy.reshard"(%2) <{sharding = #sdy.sharding<@mesh, [{"a"}]>}> : (tensor<12xf32>) -> tensor<12xf32>
    %7 = "stablehlo.multiply"(%5, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %8 = "stablehlo.sine"(%3) : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %9 = "func.call"(%2) <{callee = @f0}> : (tensor<12xf32>) -> tensor<12xf32>
    %10 = "func.call"(%9) <{callee = @f0}> : (tensor<12xf32>) -> tensor<12xf32>
    %11 = "stablehlo.slice"(%7) <{limit_indices = array<i64: 6>, start_indices = array<i64: 0>, strides = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<12xf32>) -> tensor<6xf32>
    %12 = "stablehlo.abs"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
    %13 = "stablehlo.reverse"(%8) <{dimensions = array<i64: 1>}> : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %14 = "sdy.reshard"(%8) <{sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}> : (tensor<6x1x4xf32>) -> tensor<6x1x4xf32>
    %15 = "stablehlo.tanh"(%11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %16 = "func.call"(%12) <{callee = @f1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
    %17 = "func.call"(%16) <{callee = @f1_1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
    %18 = "stablehlo.maximum"(%11, %11) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %19 = "stablehlo.reshape"(%17) : (tensor<12xf32>) -> tensor<4x3xf32>
    %20 = "stablehlo.add"(%15, %15) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %21 = "stablehlo.exponential"(%18) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %22 = "sdy.reshard"(%20) <{sharding = #sdy.sharding<@mesh, [{"a"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    %23 = "stablehlo.maximum"(%20, %20) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %24 = "sdy.manual_computation"(%23) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}> ({
    ^bb0(%25: tensor<3xf32>):
      %26 = "stablehlo.tanh"(%25) {x = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
      %27 = "stablehlo.add"(%26, %25) {x = 1 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "sdy.return"(%27) : (tensor<3xf32>) -> ()
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %28 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %29:2 = "stablehlo.while"(%28, %24) ({
    ^bb0(%30: tensor<i32>, %31: tensor<6xf32>):
      %32 = "stablehlo.compare"(%30, %30) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%32) : (tensor<i1>) -> ()
    }, {
    ^bb0(%33: tensor<i32>, %34: tensor<6xf32>):
      %35 = "stablehlo.tanh"(%34) : (tensor<6xf32>) -> tensor<6xf32>
      %36 = "stablehlo.add"(%35, %24) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %37 = "sdy.reshard"(%36) <{sharding = #sdy.sharding<@mesh, [{"c"}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%33, %37) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    "func.return"(%6, %10, %13, %14, %19, %21) : (tensor<12xf32>, tensor<12xf32>, tensor<6x1x4xf32>, tensor<6x1x4xf32>, tensor<4x3xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12xf32>) -> tensor<12xf32>, sym_name = "f0", sym_visibility = "private"}> ({
  ^bb0(%38: tensor<12xf32>):
    %39 = "stablehlo.tanh"(%38) : (tensor<12xf32>) -> tensor<12xf32>
    %40 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %41 = "stablehlo.add"(%39, %40) : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    "func.return"(%41) : (tensor<12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}], function_type = (tensor<12xf32>) -> tensor<12xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "f1", sym_visibility = "private"}> ({
  ^bb0(%42: tensor<12xf32>):
    %43 = "stablehlo.tanh"(%42) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<12xf32>) -> tensor<12xf32>
    %44 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %45 = "stablehlo.add"(%43, %44) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %46 = "sdy.reshard"(%45) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<12xf32>) -> tensor<12xf32>
    "func.return"(%46) : (tensor<12xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<12xf32>) -> tensor<12xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "f1_1", sym_visibility = "private"}> ({
  ^bb0(%47: tensor<12xf32>):
    %48 = "stablehlo.tanh"(%47) : (tensor<12xf32>) -> tensor<12xf32>
    %49 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<12xf32>}> : () -> tensor<12xf32>
    %50 = "stablehlo.add"(%48, %49) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
    %51 = "sdy.reshard"(%50) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<12xf32>) -> tensor<12xf32>
    "func.return"(%51) : (tensor<12xf32>) -> ()
  }) : () -> ()
}) : () -> ()
