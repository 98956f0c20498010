"builtin.module"() <{sym_name = "jit_repro"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["dp"=2, "tp"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "dp", size = 2 : i64}, {name = "tp", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {"tp"}]>}], function_type = (tensor<8x32xi32>) -> tensor<64x16xf32>, res_attrs = [{jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"tp"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg8: tensor<8x32xi32>):
    %13 = "func.call"(%arg8) <{callee = @_take}> : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    %14 = "stablehlo.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.broadcast_in_dim"(%14) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x32x16xf32>
    %16 = "func.call"(%13, %15) <{callee = @_take_0}> : (tensor<8x32x1xi32>, tensor<8x32x16xf32>) -> tensor<64x16xf32>
    "func.return"(%16) : (tensor<64x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x32xi32>) -> tensor<8x32x1xi32>, sym_name = "_take", sym_visibility = "private"}> ({
  ^bb0(%arg7: tensor<8x32xi32>):
    %5 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %6 = "stablehlo.broadcast_in_dim"(%5) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32xi32>
    %7 = "stablehlo.compare"(%arg7, %6) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi1>
    %8 = "stablehlo.constant"() <{value = dense<64> : tensor<i32>}> : () -> tensor<i32>
    %9 = "stablehlo.broadcast_in_dim"(%8) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<8x32xi32>
    %10 = "stablehlo.add"(%arg7, %9) : (tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>
    %11 = "func.call"(%7, %10, %arg7) <{callee = @_where}> : (tensor<8x32xi1>, tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>
    %12 = "stablehlo.broadcast_in_dim"(%11) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x32xi32>) -> tensor<8x32x1xi32>
    "func.return"(%12) : (tensor<8x32x1xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x32xi1>, tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>, sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg4: tensor<8x32xi1>, %arg5: tensor<8x32xi32>, %arg6: tensor<8x32xi32>):
    %4 = "stablehlo.select"(%arg4, %arg5, %arg6) : (tensor<8x32xi1>, tensor<8x32xi32>, tensor<8x32xi32>) -> tensor<8x32xi32>
    "func.return"(%4) : (tensor<8x32xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x32x1xi32>, tensor<8x32x16xf32>) -> tensor<64x16xf32>, sym_name = "_take_0", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x32x1xi32>, %arg1: tensor<8x32x16xf32>):
    %0 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %1 = "stablehlo.broadcast_in_dim"(%0) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<64x16xf32>
    %2 = "stablehlo.scatter"(%1, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%3) : (tensor<f32>) -> ()
    }) : (tensor<64x16xf32>, tensor<8x32x1xi32>, tensor<8x32x16xf32>) -> tensor<64x16xf32>
    "func.return"(%2) : (tensor<64x16xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
