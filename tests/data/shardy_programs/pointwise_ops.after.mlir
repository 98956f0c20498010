"builtin.module"() <{sym_name = "pointwise_ops"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8x16xf32>):
    %1 = "stablehlo.all_reduce"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%2: tensor<f32>, %3: tensor<f32>):
      %4 = "stablehlo.add"(%2, %3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%4) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %6 = "stablehlo.complex"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xcomplex<f32>>
    %7 = "stablehlo.cross-replica-sum"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%1, %5, %6, %7) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xcomplex<f32>>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
