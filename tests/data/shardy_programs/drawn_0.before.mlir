"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=4, "one"=1, "b"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {}]>}], function_type = (tensor<6xf32>, tensor<16x12x6xf32>, tensor<8x4xf32>) -> (tensor<3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<6xf32>), res_attrs = [{}, {}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"one", "a", ?}, {?}]>}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<6xf32>, %1: tensor<16x12x6xf32>, %2: tensor<8x4xf32>):
    %3 = "stablehlo.multiply"(%0, %0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %4 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %5:2 = "stablehlo.while"(%4, %0) ({
    ^bb0(%6: tensor<i32>, %7: tensor<6xf32>):
      %8 = "stablehlo.compare"(%6, %6) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%8) : (tensor<i1>) -> ()
    }, {
    ^bb0(%9: tensor<i32>, %10: tensor<6xf32>):
      %11 = "stablehlo.exponential"(%10) : (tensor<6xf32>) -> tensor<6xf32>
      %12 = "stablehlo.add"(%11, %0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%9, %12) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %13 = "stablehlo.slice"(%5#1) <{limit_indices = array<i64: 3>, start_indices = array<i64: 0>, strides = array<i64: 1>}> : (tensor<6xf32>) -> tensor<3xf32>
    %14 = "stablehlo.add"(%5#1, %5#1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %15 = "stablehlo.reverse"(%5#1) <{dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6xf32>
    %16 = "stablehlo.multiply"(%5#1, %0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %17 = "stablehlo.maximum"(%5#1, %15) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    "sdy.sharding_group"(%14) <{group_id = 0 : i64}> : (tensor<6xf32>) -> ()
    %18 = "stablehlo.subtract"(%13, %13) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %19 = "stablehlo.maximum"(%14, %15) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %20 = "stablehlo.multiply"(%14, %5#1) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %21 = "stablehlo.reverse"(%16) <{dimensions = array<i64: 0>}> : (tensor<6xf32>) -> tensor<6xf32>
    %22 = "stablehlo.reshape"(%17) : (tensor<6xf32>) -> tensor<3x2xf32>
    %23 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %24 = "stablehlo.dynamic_slice"(%21, %23) <{slice_sizes = array<i64: 3>}> : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
    %25 = "stablehlo.dynamic_update_slice"(%21, %24, %23) : (tensor<6xf32>, tensor<3xf32>, tensor<i32>) -> tensor<6xf32>
    %26 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %27:2 = "stablehlo.while"(%26, %19) ({
    ^bb0(%28: tensor<i32>, %29: tensor<6xf32>):
      %30 = "stablehlo.compare"(%28, %28) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%30) : (tensor<i1>) -> ()
    }, {
    ^bb0(%31: tensor<i32>, %32: tensor<6xf32>):
      %33 = "stablehlo.sine"(%32) : (tensor<6xf32>) -> tensor<6xf32>
      %34 = "stablehlo.add"(%33, %19) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %35 = "sdy.sharding_constraint"(%34) <{sharding = #sdy.sharding<@mesh, [{"b", ?}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      "stablehlo.return"(%31, %35) : (tensor<i32>, tensor<6xf32>) -> ()
    }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
    %36 = "stablehlo.multiply"(%20, %3) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %37 = "stablehlo.multiply"(%21, %3) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %38 = "stablehlo.sine"(%22) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %39 = "stablehlo.reshape"(%37) : (tensor<6xf32>) -> tensor<2x3xf32>
    %40 = "stablehlo.tanh"(%38) : (tensor<3x2xf32>) -> tensor<3x2xf32>
    %41 = "stablehlo.tanh"(%27#1) : (tensor<6xf32>) -> tensor<6xf32>
    %42 = "stablehlo.broadcast_in_dim"(%37) <{broadcast_dimensions = array<i64: 1>}> : (tensor<6xf32>) -> tensor<1x6xf32>
    %43 = "stablehlo.concatenate"(%37, %37) <{dimension = 0 : i64}> : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %44 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
    %45 = "stablehlo.dot_general"(%38, %44) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    "func.return"(%18, %25, %36, %39, %40, %41) : (tensor<3xf32>, tensor<6xf32>, tensor<6xf32>, tensor<2x3xf32>, tensor<3x2xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
