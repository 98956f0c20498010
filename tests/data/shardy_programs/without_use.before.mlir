"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=4, "one"=1, "b"=2]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{function_type = (tensor<16x12xf32>, tensor<16xf32>) -> (tensor<12x16xf32>, tensor<8x6xf32>, tensor<12x16xf32>, tensor<12x16xf32>, tensor<16x8xf32>, tensor<12x16xf32>), res_attrs = [{}, {}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{?}p0, {"b", ?}p0]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x12xf32>, %1: tensor<16xf32>):
    %2 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x12xf32>) -> tensor<12x16xf32>
    %3 = "stablehlo.slice"(%0) <{limit_indices = array<i64: 16, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x12xf32>) -> tensor<16x6xf32>
    %4 = "stablehlo.multiply"(%2, %2) : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %5 = "stablehlo.multiply"(%3, %3) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %6 = "stablehlo.negate"(%4) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %7 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.dynamic_slice"(%5, %7, %8) <{slice_sizes = array<i64: 8, 6>}> : (tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    %10 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %12 = "stablehlo.dot_general"(%5, %11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x6xf32>, tensor<6x8xf32>) -> tensor<16x8xf32>
    %13 = "stablehlo.exponential"(%4) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %14 = "sdy.sharding_constraint"(%13) <{sharding = #sdy.sharding<@mesh, [{?}, {"one"}]>}> : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %15 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<12x16xf32>}> : () -> tensor<12x16xf32>
    %16 = "stablehlo.subtract"(%14, %15) : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %17 = "stablehlo.abs"(%12) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %18 = "stablehlo.exponential"(%13) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %19 = "stablehlo.maximum"(%17, %17) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %20 = "stablehlo.negate"(%13) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %21 = "stablehlo.reverse"(%19) <{dimensions = array<i64: 1>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %22 = "sdy.sharding_constraint"(%20) <{sharding = #sdy.sharding<@mesh, [{"b", "a":(1)2}, {?}p1]>}> : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %23 = "stablehlo.abs"(%20) : (tensor<12x16xf32>) -> tensor<12x16xf32>
    "func.return"(%6, %9, %16, %18, %21, %22) : (tensor<12x16xf32>, tensor<8x6xf32>, tensor<12x16xf32>, tensor<12x16xf32>, tensor<16x8xf32>, tensor<12x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
