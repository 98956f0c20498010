"builtin.module"() <{sym_name = "jit_f13_smap_partial_scan_3d"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2, "c"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}, {name = "c", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"c"}]>}], function_type = (tensor<64x128xf32>, tensor<6x128x128xf32>) -> (tensor<64x128xf32>, tensor<6xf32>), res_attrs = [{jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg11: tensor<64x128xf32>, %arg12: tensor<6x128x128xf32>):
    %20:2 = "sdy.manual_computation"(%arg11, %arg12) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"c"}]>, <@mesh, [{}, {}, {"c"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"c"}]>, <@mesh, [{}]>]>}> ({
    ^bb0(%arg13: tensor<32x128xf32>, %arg14: tensor<6x128x128xf32>):
      %21 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
      %22 = "stablehlo.broadcast_in_dim"(%21) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6xf32>
      %23 = "sdy.reshard"(%22) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      %24 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
      %25:4 = "stablehlo.while"(%arg14, %24, %arg13, %23) ({
      ^bb0(%arg19: tensor<6x128x128xf32>, %arg20: tensor<i32>, %arg21: tensor<32x128xf32>, %arg22: tensor<6xf32>):
        %37 = "sdy.reshard"(%arg20) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
        %38 = "sdy.constant"() <{value = dense<6> : tensor<i32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : () -> tensor<i32>
        %39 = "sdy.reshard"(%38) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
        %40 = "stablehlo.compare"(%37, %39) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
        "stablehlo.return"(%40) : (tensor<i1>) -> ()
      }, {
      ^bb0(%arg15: tensor<6x128x128xf32>, %arg16: tensor<i32>, %arg17: tensor<32x128xf32>, %arg18: tensor<6xf32>):
        %29 = "sdy.reshard"(%arg16) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
        %30 = "func.call"(%arg15, %29) <{callee = @dynamic_index_in_dim}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<6x128x128xf32>, tensor<i32>) -> tensor<128x128xf32>
        %31:2 = "func.call"(%arg17, %30) <{callee = @closed_call}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>, <@mesh, []>]>} : (tensor<32x128xf32>, tensor<128x128xf32>) -> (tensor<32x128xf32>, tensor<f32>)
        %32 = "func.call"(%arg18, %31#1, %29) <{callee = @dynamic_update_index_in_dim}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>
        %33 = "sdy.constant"() <{value = dense<1> : tensor<i32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : () -> tensor<i32>
        %34 = "sdy.reshard"(%33) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
        %35 = "stablehlo.add"(%29, %34) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<i32>, tensor<i32>) -> tensor<i32>
        %36 = "sdy.reshard"(%35) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
        "stablehlo.return"(%arg15, %36, %31#0, %32) : (tensor<6x128x128xf32>, tensor<i32>, tensor<32x128xf32>, tensor<6xf32>) -> ()
      }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"c"}]>, <@mesh, []>, <@mesh, [{}, {"c"}]>, <@mesh, [{}]>]>} : (tensor<6x128x128xf32>, tensor<i32>, tensor<32x128xf32>, tensor<6xf32>) -> (tensor<6x128x128xf32>, tensor<i32>, tensor<32x128xf32>, tensor<6xf32>)
      %26 = "sdy.reshard"(%25#1) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<i32>) -> tensor<i32>
      %27 = "sdy.reshard"(%25#2) <{sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}> : (tensor<32x128xf32>) -> tensor<32x128xf32>
      %28 = "sdy.reshard"(%25#3) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<6xf32>) -> tensor<6xf32>
      "sdy.return"(%27, %28) : (tensor<32x128xf32>, tensor<6xf32>) -> ()
    }) : (tensor<64x128xf32>, tensor<6x128x128xf32>) -> (tensor<64x128xf32>, tensor<6xf32>)
    "func.return"(%20#0, %20#1) : (tensor<64x128xf32>, tensor<6xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"c"}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<6x128x128xf32>, tensor<i32>) -> tensor<128x128xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}], sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg9: tensor<6x128x128xf32>, %arg10: tensor<i32>):
    %15 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %16 = "stablehlo.dynamic_slice"(%arg9, %arg10, %15, %15) <{slice_sizes = array<i64: 1, 128, 128>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"c"}]>]>} : (tensor<6x128x128xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x128x128xf32>
    %17 = "sdy.reshard"(%16) <{sharding = #sdy.sharding<@mesh, [{}, {}, {"c"}]>}> : (tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
    %18 = "stablehlo.reshape"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<1x128x128xf32>) -> tensor<128x128xf32>
    %19 = "sdy.reshard"(%18) <{sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}> : (tensor<128x128xf32>) -> tensor<128x128xf32>
    "func.return"(%19) : (tensor<128x128xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}], function_type = (tensor<32x128xf32>, tensor<128x128xf32>) -> (tensor<32x128xf32>, tensor<f32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}, {}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<32x128xf32>, %arg4: tensor<128x128xf32>):
    %4 = "stablehlo.dot_general"(%arg3, %arg4) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<32x128xf32>, tensor<128x128xf32>) -> tensor<32x128xf32>
    %5 = "sdy.reshard"(%4) <{sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}> : (tensor<32x128xf32>) -> tensor<32x128xf32>
    %6 = "stablehlo.tanh"(%5) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"c"}]>]>} : (tensor<32x128xf32>) -> tensor<32x128xf32>
    %7 = "sdy.reshard"(%6) <{sharding = #sdy.sharding<@mesh, [{}, {"c"}]>}> : (tensor<32x128xf32>) -> tensor<32x128xf32>
    %8 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%arg3, %8) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %14 = "stablehlo.add"(%arg7, %arg8) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%14) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<32x128xf32>, tensor<f32>) -> tensor<f32>
    %10 = "sdy.reshard"(%9) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<f32>) -> tensor<f32>
    %11 = "stablehlo.all_reduce"(%10) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 8], [1, 9], [2, 10], [3, 11], [4, 12], [5, 13], [6, 14], [7, 15]]> : tensor<8x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %12 = "stablehlo.add"(%arg5, %arg6) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      %13 = "sdy.reshard"(%12) <{sharding = #sdy.sharding<@mesh, []>}> : (tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%13) : (tensor<f32>) -> ()
    }) : (tensor<f32>) -> tensor<f32>
    "func.return"(%7, %11) : (tensor<32x128xf32>, tensor<f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6xf32>, tensor<f32>, tensor<i32>) -> tensor<6xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}]>}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<6xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<1xf32>
    %1 = "sdy.reshard"(%0) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<1xf32>) -> tensor<1xf32>
    %2 = "stablehlo.dynamic_update_slice"(%arg0, %1, %arg2) : (tensor<6xf32>, tensor<1xf32>, tensor<i32>) -> tensor<6xf32>
    %3 = "sdy.reshard"(%2) <{sharding = #sdy.sharding<@mesh, [{}]>}> : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%3) : (tensor<6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 16 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
