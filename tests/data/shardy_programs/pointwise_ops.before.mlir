"builtin.module"() <{sym_name = "pointwise_ops"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>):
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %4 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.complex"(%arg0, %arg0) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xcomplex<f32>>
    %3 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%0, %1, %2, %3) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
