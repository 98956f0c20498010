"builtin.module"() <{sym_name = "parts"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}], function_type = (tensor<6x8xf32>, tensor<4x12xf32>) -> (tensor<2x3x8xf32>, tensor<48xf32>, tensor<2x24xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"a"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<6x8xf32>, %arg1: tensor<4x12xf32>):
    %0 = "stablehlo.reshape"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {"a"}]>]>} : (tensor<6x8xf32>) -> tensor<2x3x8xf32>
    %1 = "stablehlo.reshape"(%arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}]>]>} : (tensor<4x12xf32>) -> tensor<48xf32>
    %2 = "stablehlo.reshape"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {}]>]>} : (tensor<6x8xf32>) -> tensor<2x24xf32>
    %3 = "stablehlo.add"(%0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b":(1)2}, {"b":(2)2}, {"a"}]>]>} : (tensor<2x3x8xf32>, tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
    "func.return"(%3, %1, %2) : (tensor<2x3x8xf32>, tensor<48xf32>, tensor<2x24xf32>) -> ()
  }) : () -> ()
}) : () -> ()
