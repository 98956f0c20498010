"builtin.module"() <{sym_name = "jit_repro"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["e"=8]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "e", size = 8 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"e"}, {}, {}]>}], function_type = (tensor<8x16x32xf32>) -> (tensor<8x16x2xf32>, tensor<8x32xi32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg5: tensor<8x16x32xf32>):
    %3:2 = "chlo.top_k"(%arg5) <{k = 2 : i64}> : (tensor<8x16x32xf32>) -> (tensor<8x16x2xf32>, tensor<8x16x2xi32>)
    %4 = "stablehlo.reshape"(%3#1) : (tensor<8x16x2xi32>) -> tensor<8x32xi32>
    %5 = "func.call"(%4) <{callee = @argsort}> : (tensor<8x32xi32>) -> tensor<8x32xi32>
    %6 = "sdy.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%3#0, %6) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %20 = "stablehlo.maximum"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%20) : (tensor<f32>) -> ()
    }) : (tensor<8x16x2xf32>, tensor<f32>) -> tensor<8x16xf32>
    %8 = "stablehlo.broadcast_in_dim"(%6) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<8x16xf32>
    %9 = "stablehlo.maximum"(%8, %7) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %11 = "stablehlo.broadcast_in_dim"(%10) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x1xf32>) -> tensor<8x16x2xf32>
    %12 = "stablehlo.subtract"(%3#0, %11) : (tensor<8x16x2xf32>, tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
    %13 = "stablehlo.exponential"(%12) : (tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
    %14 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %15 = "stablehlo.reduce"(%13, %14) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %19 = "stablehlo.add"(%arg6, %arg7) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%19) : (tensor<f32>) -> ()
    }) : (tensor<8x16x2xf32>, tensor<f32>) -> tensor<8x16xf32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<8x16xf32>) -> tensor<8x16x1xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) <{broadcast_dimensions = array<i64: 0, 1, 2>}> : (tensor<8x16x1xf32>) -> tensor<8x16x2xf32>
    %18 = "stablehlo.divide"(%13, %17) : (tensor<8x16x2xf32>, tensor<8x16x2xf32>) -> tensor<8x16x2xf32>
    "func.return"(%18, %5) : (tensor<8x16x2xf32>, tensor<8x32xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x32xi32>) -> tensor<8x32xi32>, sym_name = "argsort", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<8x32xi32>):
    %0 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x32xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = "stablehlo.compare"(%arg1, %arg2) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }) : (tensor<8x32xi32>, tensor<8x32xi32>) -> (tensor<8x32xi32>, tensor<8x32xi32>)
    "func.return"(%1#1) : (tensor<8x32xi32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
