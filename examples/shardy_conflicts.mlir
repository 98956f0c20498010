"builtin.module"() <{sym_name = "conflicts"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}], function_type = (tensor<8x16xf32>, tensor<16x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<5x32xf32>, tensor<32x8xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x32xf32>, %arg2: tensor<8x32xf32>, %arg3: tensor<8x32xf32>):
    %0 = "stablehlo.dot_general"(%arg0, %arg1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %1 = "stablehlo.add"(%0, %arg2) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %2 = "stablehlo.subtract"(%1, %arg3) : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    %3 = "stablehlo.slice"(%2) <{limit_indices = array<i64: 6, 32>, start_indices = array<i64: 1, 0>, strides = array<i64: 1, 1>}> : (tensor<8x32xf32>) -> tensor<5x32xf32>
    %4 = "stablehlo.transpose"(%2) <{permutation = array<i64: 1, 0>}> : (tensor<8x32xf32>) -> tensor<32x8xf32>
    %5 = "stablehlo.exponential"(%4) : (tensor<32x8xf32>) -> tensor<32x8xf32>
    %6 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<32x8xf32>
    %8 = "stablehlo.multiply"(%4, %7) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    %9 = "stablehlo.add"(%7, %8) : (tensor<32x8xf32>, tensor<32x8xf32>) -> tensor<32x8xf32>
    "func.return"(%2, %3, %9) : (tensor<8x32xf32>, tensor<5x32xf32>, tensor<32x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
