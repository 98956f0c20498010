"builtin.module"() <{sym_name = "move_to_host"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}], function_type = (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<8x16xf32>, %1: tensor<8x16xf32>):
    %2 = "stablehlo.custom_call"(%0) <{call_target_name = "MoveToHost"}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.add"(%2, %1) : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%3) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
