"builtin.module"() <{sym_name = "jit_f08_prefill"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["data"=2, "model"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 4 : i64}]}} : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}], function_type = (tensor<1024x256xbf16>, tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<16x128xi32>) -> (tensor<16x128x1024xf32>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>), res_attrs = [{jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}, {jax.result_info = "result[1]['k']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {jax.result_info = "result[1]['v']", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg40: tensor<1024x256xbf16>, %arg41: tensor<4x256xbf16>, %arg42: tensor<4x256xbf16>, %arg43: tensor<4x256x512xbf16>, %arg44: tensor<4x512x256xbf16>, %arg45: tensor<4x256x4x32xbf16>, %arg46: tensor<4x8x32x256xbf16>, %arg47: tensor<4x256x8x32xbf16>, %arg48: tensor<4x256x4x32xbf16>, %arg49: tensor<4x16x256x4x32xbf16>, %arg50: tensor<4x16x256x4x32xbf16>, %arg51: tensor<16x128xi32>):
    %119 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %120 = "stablehlo.broadcast_in_dim"(%119) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<i32>) -> tensor<16x128xi32>
    %121 = "stablehlo.compare"(%arg51, %120) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi1>
    %122 = "sdy.constant"() <{value = dense<1024> : tensor<i32>}> : () -> tensor<i32>
    %123 = "stablehlo.broadcast_in_dim"(%122) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<i32>) -> tensor<16x128xi32>
    %124 = "stablehlo.add"(%arg51, %123) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi32>
    %125 = "stablehlo.select"(%121, %124, %arg51) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x128xi1>, tensor<16x128xi32>, tensor<16x128xi32>) -> tensor<16x128xi32>
    %126 = "stablehlo.broadcast_in_dim"(%125) <{broadcast_dimensions = array<i64: 0, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128xi32>) -> tensor<16x128x1xi32>
    %127 = "stablehlo.gather"(%arg40, %126) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 256>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<1024x256xbf16>, tensor<16x128x1xi32>) -> tensor<16x128x256xbf16>
    %128 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %129 = "stablehlo.broadcast_in_dim"(%128) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<bf16>) -> tensor<4x16x256x4x32xbf16>
    %130:14 = "stablehlo.while"(%arg41, %arg42, %arg43, %arg44, %arg45, %arg46, %arg47, %arg48, %arg49, %arg50, %119, %127, %129, %129) ({
    ^bb0(%arg66: tensor<4x256xbf16>, %arg67: tensor<4x256xbf16>, %arg68: tensor<4x256x512xbf16>, %arg69: tensor<4x512x256xbf16>, %arg70: tensor<4x256x4x32xbf16>, %arg71: tensor<4x8x32x256xbf16>, %arg72: tensor<4x256x8x32xbf16>, %arg73: tensor<4x256x4x32xbf16>, %arg74: tensor<4x16x256x4x32xbf16>, %arg75: tensor<4x16x256x4x32xbf16>, %arg76: tensor<i32>, %arg77: tensor<16x128x256xbf16>, %arg78: tensor<4x16x256x4x32xbf16>, %arg79: tensor<4x16x256x4x32xbf16>):
      %148 = "sdy.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
      %149 = "stablehlo.compare"(%arg76, %148) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%149) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg52: tensor<4x256xbf16>, %arg53: tensor<4x256xbf16>, %arg54: tensor<4x256x512xbf16>, %arg55: tensor<4x512x256xbf16>, %arg56: tensor<4x256x4x32xbf16>, %arg57: tensor<4x8x32x256xbf16>, %arg58: tensor<4x256x8x32xbf16>, %arg59: tensor<4x256x4x32xbf16>, %arg60: tensor<4x16x256x4x32xbf16>, %arg61: tensor<4x16x256x4x32xbf16>, %arg62: tensor<i32>, %arg63: tensor<16x128x256xbf16>, %arg64: tensor<4x16x256x4x32xbf16>, %arg65: tensor<4x16x256x4x32xbf16>):
      %133 = "func.call"(%arg52, %arg62) <{callee = @dynamic_index_in_dim}> : (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>
      %134 = "func.call"(%arg53, %arg62) <{callee = @dynamic_index_in_dim}> : (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>
      %135 = "func.call"(%arg54, %arg62) <{callee = @dynamic_index_in_dim_0_1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}]>]>} : (tensor<4x256x512xbf16>, tensor<i32>) -> tensor<256x512xbf16>
      %136 = "func.call"(%arg55, %arg62) <{callee = @dynamic_index_in_dim_1}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>} : (tensor<4x512x256xbf16>, tensor<i32>) -> tensor<512x256xbf16>
      %137 = "func.call"(%arg56, %arg62) <{callee = @dynamic_index_in_dim_2}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>
      %138 = "func.call"(%arg57, %arg62) <{callee = @dynamic_index_in_dim_3}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}, {}]>]>} : (tensor<4x8x32x256xbf16>, tensor<i32>) -> tensor<8x32x256xbf16>
      %139 = "func.call"(%arg58, %arg62) <{callee = @dynamic_index_in_dim_4}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<4x256x8x32xbf16>, tensor<i32>) -> tensor<256x8x32xbf16>
      %140 = "func.call"(%arg59, %arg62) <{callee = @dynamic_index_in_dim_2}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>
      %141 = "func.call"(%arg60, %arg62) <{callee = @dynamic_index_in_dim_5}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>
      %142 = "func.call"(%arg61, %arg62) <{callee = @dynamic_index_in_dim_5}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>
      %143:3 = "func.call"(%arg63, %133, %134, %135, %136, %137, %138, %139, %140, %141, %142) <{callee = @closed_call}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>, <@mesh, [{"data"}, {}, {"model"}, {}]>, <@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<256xbf16>, tensor<256xbf16>, tensor<256x512xbf16>, tensor<512x256xbf16>, tensor<256x4x32xbf16>, tensor<8x32x256xbf16>, tensor<256x8x32xbf16>, tensor<256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>)
      %144 = "func.call"(%arg64, %143#1, %arg62) <{callee = @dynamic_update_index_in_dim}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
      %145 = "func.call"(%arg65, %143#2, %arg62) <{callee = @dynamic_update_index_in_dim}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
      %146 = "sdy.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
      %147 = "stablehlo.add"(%arg62, %146) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%arg52, %arg53, %arg54, %arg55, %arg56, %arg57, %arg58, %arg59, %arg60, %arg61, %147, %143#0, %144, %145) : (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>, <@mesh, [{}, {}]>, <@mesh, [{}, {}, {"model"}]>, <@mesh, [{}, {"model"}, {}]>, <@mesh, [{}, {}, {"model"}, {}]>, <@mesh, [{}, {"model"}, {}, {}]>, <@mesh, [{}, {}, {"model"}, {}]>, <@mesh, [{}, {}, {"model"}, {}]>, <@mesh, [{}, {"data"}, {}, {"model"}, {}]>, <@mesh, [{}, {"data"}, {}, {"model"}, {}]>, <@mesh, []>, <@mesh, [{"data"}, {}, {}]>, <@mesh, [{}, {"data"}, {}, {"model"}, {}]>, <@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> (tensor<4x256xbf16>, tensor<4x256xbf16>, tensor<4x256x512xbf16>, tensor<4x512x256xbf16>, tensor<4x256x4x32xbf16>, tensor<4x8x32x256xbf16>, tensor<4x256x8x32xbf16>, tensor<4x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<16x128x256xbf16>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>)
    %131 = "stablehlo.dot_general"(%130#11, %arg40) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x256xbf16>, tensor<1024x256xbf16>) -> tensor<16x128x1024xbf16>
    %132 = "stablehlo.convert"(%131) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x1024xbf16>) -> tensor<16x128x1024xf32>
    "func.return"(%132, %130#12, %130#13) : (tensor<16x128x1024xf32>, tensor<4x16x256x4x32xbf16>, tensor<4x16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x256xbf16>, tensor<i32>) -> tensor<256xbf16>, sym_name = "dynamic_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg38: tensor<4x256xbf16>, %arg39: tensor<i32>):
    %116 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %117 = "stablehlo.dynamic_slice"(%arg38, %arg39, %116) <{slice_sizes = array<i64: 1, 256>}> : (tensor<4x256xbf16>, tensor<i32>, tensor<i32>) -> tensor<1x256xbf16>
    %118 = "stablehlo.reshape"(%117) : (tensor<1x256xbf16>) -> tensor<256xbf16>
    "func.return"(%118) : (tensor<256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x256x512xbf16>, tensor<i32>) -> tensor<256x512xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}], sym_name = "dynamic_index_in_dim_0_1", sym_visibility = "private"}> ({
  ^bb0(%arg36: tensor<4x256x512xbf16>, %arg37: tensor<i32>):
    %113 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %114 = "stablehlo.dynamic_slice"(%arg36, %arg37, %113, %113) <{slice_sizes = array<i64: 1, 256, 512>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"model"}]>]>} : (tensor<4x256x512xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x512xbf16>
    %115 = "stablehlo.reshape"(%114) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}]>]>} : (tensor<1x256x512xbf16>) -> tensor<256x512xbf16>
    "func.return"(%115) : (tensor<256x512xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x512x256xbf16>, tensor<i32>) -> tensor<512x256xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}], sym_name = "dynamic_index_in_dim_1", sym_visibility = "private"}> ({
  ^bb0(%arg34: tensor<4x512x256xbf16>, %arg35: tensor<i32>):
    %110 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %111 = "stablehlo.dynamic_slice"(%arg34, %arg35, %110, %110) <{slice_sizes = array<i64: 1, 512, 256>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<4x512x256xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x256xbf16>
    %112 = "stablehlo.reshape"(%111) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}]>]>} : (tensor<1x512x256xbf16>) -> tensor<512x256xbf16>
    "func.return"(%112) : (tensor<512x256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x256x4x32xbf16>, tensor<i32>) -> tensor<256x4x32xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}], sym_name = "dynamic_index_in_dim_2", sym_visibility = "private"}> ({
  ^bb0(%arg32: tensor<4x256x4x32xbf16>, %arg33: tensor<i32>):
    %107 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %108 = "stablehlo.dynamic_slice"(%arg32, %arg33, %107, %107, %107) <{slice_sizes = array<i64: 1, 256, 4, 32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"model"}, {}]>]>} : (tensor<4x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x4x32xbf16>
    %109 = "stablehlo.reshape"(%108) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<1x256x4x32xbf16>) -> tensor<256x4x32xbf16>
    "func.return"(%109) : (tensor<256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x8x32x256xbf16>, tensor<i32>) -> tensor<8x32x256xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}], sym_name = "dynamic_index_in_dim_3", sym_visibility = "private"}> ({
  ^bb0(%arg30: tensor<4x8x32x256xbf16>, %arg31: tensor<i32>):
    %104 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %105 = "stablehlo.dynamic_slice"(%arg30, %arg31, %104, %104, %104) <{slice_sizes = array<i64: 1, 8, 32, 256>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}, {}]>]>} : (tensor<4x8x32x256xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x32x256xbf16>
    %106 = "stablehlo.reshape"(%105) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"model"}, {}, {}]>]>} : (tensor<1x8x32x256xbf16>) -> tensor<8x32x256xbf16>
    "func.return"(%106) : (tensor<8x32x256xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x256x8x32xbf16>, tensor<i32>) -> tensor<256x8x32xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}], sym_name = "dynamic_index_in_dim_4", sym_visibility = "private"}> ({
  ^bb0(%arg28: tensor<4x256x8x32xbf16>, %arg29: tensor<i32>):
    %101 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %102 = "stablehlo.dynamic_slice"(%arg28, %arg29, %101, %101, %101) <{slice_sizes = array<i64: 1, 256, 8, 32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"model"}, {}]>]>} : (tensor<4x256x8x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x8x32xbf16>
    %103 = "stablehlo.reshape"(%102) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"model"}, {}]>]>} : (tensor<1x256x8x32xbf16>) -> tensor<256x8x32xbf16>
    "func.return"(%103) : (tensor<256x8x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x16x256x4x32xbf16>, tensor<i32>) -> tensor<16x256x4x32xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}], sym_name = "dynamic_index_in_dim_5", sym_visibility = "private"}> ({
  ^bb0(%arg26: tensor<4x16x256x4x32xbf16>, %arg27: tensor<i32>):
    %98 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %99 = "stablehlo.dynamic_slice"(%arg26, %arg27, %98, %98, %98, %98) <{slice_sizes = array<i64: 1, 16, 256, 4, 32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x256x4x32xbf16>
    %100 = "stablehlo.reshape"(%99) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<1x16x256x4x32xbf16>) -> tensor<16x256x4x32xbf16>
    "func.return"(%100) : (tensor<16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<1x1x1x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128x256xf32>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {}, {}, {}]>}], sym_name = "_where", sym_visibility = "private"}> ({
  ^bb0(%arg23: tensor<1x1x1x128x256xi1>, %arg24: tensor<16x4x2x128x256xf32>, %arg25: tensor<f32>):
    %94 = "stablehlo.convert"(%arg25) : (tensor<f32>) -> tensor<f32>
    %95 = "stablehlo.broadcast_in_dim"(%arg23) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<1x1x1x128x256xi1>) -> tensor<16x4x2x128x256xi1>
    %96 = "stablehlo.broadcast_in_dim"(%94) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %97 = "stablehlo.select"(%95, %arg24, %96) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    "func.return"(%97) : (tensor<16x4x2x128x256xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}], function_type = (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}]>}], sym_name = "silu", sym_visibility = "private"}> ({
  ^bb0(%arg22: tensor<16x128x512xbf16>):
    %87 = "stablehlo.negate"(%arg22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %88 = "stablehlo.exponential"(%87) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %89 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<bf16>}> : () -> tensor<bf16>
    %90 = "stablehlo.broadcast_in_dim"(%89) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<bf16>) -> tensor<16x128x512xbf16>
    %91 = "stablehlo.add"(%90, %88) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %92 = "stablehlo.divide"(%90, %91) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %93 = "stablehlo.multiply"(%arg22, %92) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>, tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    "func.return"(%93) : (tensor<16x128x512xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}], function_type = (tensor<16x128x256xbf16>, tensor<256xbf16>, tensor<256xbf16>, tensor<256x512xbf16>, tensor<512x256xbf16>, tensor<256x4x32xbf16>, tensor<8x32x256xbf16>, tensor<256x8x32xbf16>, tensor<256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}], sym_name = "closed_call", sym_visibility = "private"}> ({
  ^bb0(%arg3: tensor<16x128x256xbf16>, %arg4: tensor<256xbf16>, %arg5: tensor<256xbf16>, %arg6: tensor<256x512xbf16>, %arg7: tensor<512x256xbf16>, %arg8: tensor<256x4x32xbf16>, %arg9: tensor<8x32x256xbf16>, %arg10: tensor<256x8x32xbf16>, %arg11: tensor<256x4x32xbf16>, %arg12: tensor<16x256x4x32xbf16>, %arg13: tensor<16x256x4x32xbf16>):
    %3 = "stablehlo.convert"(%arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %4 = "stablehlo.convert"(%arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %5 = "chlo.square"(%4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %6 = "sdy.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %7 = "stablehlo.reduce"(%5, %6) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %86 = "stablehlo.add"(%arg20, %arg21) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%86) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x128x256xf32>, tensor<f32>) -> tensor<16x128xf32>
    %8 = "stablehlo.broadcast_in_dim"(%7) <{broadcast_dimensions = array<i64: 0, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128xf32>) -> tensor<16x128x1xf32>
    %9 = "sdy.constant"() <{value = dense<2.560000e+02> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<f32>) -> tensor<16x128x1xf32>
    %11 = "stablehlo.divide"(%8, %10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %12 = "sdy.constant"() <{value = dense<9.99999997E-7> : tensor<f32>}> : () -> tensor<f32>
    %13 = "stablehlo.broadcast_in_dim"(%12) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<f32>) -> tensor<16x128x1xf32>
    %14 = "stablehlo.add"(%11, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %15 = "stablehlo.rsqrt"(%14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %16 = "stablehlo.broadcast_in_dim"(%15) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>) -> tensor<16x128x256xf32>
    %17 = "stablehlo.multiply"(%3, %16) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>, tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %18 = "stablehlo.convert"(%17) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>) -> tensor<16x128x256xbf16>
    %19 = "stablehlo.broadcast_in_dim"(%arg4) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xbf16>) -> tensor<1x1x256xbf16>
    %20 = "stablehlo.broadcast_in_dim"(%19) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<1x1x256xbf16>) -> tensor<16x128x256xbf16>
    %21 = "stablehlo.multiply"(%18, %20) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %22 = "stablehlo.dot_general"(%21, %arg10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<256x8x32xbf16>) -> tensor<16x128x8x32xbf16>
    %23 = "stablehlo.dot_general"(%21, %arg8) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<256x4x32xbf16>) -> tensor<16x128x4x32xbf16>
    %24 = "stablehlo.dot_general"(%21, %arg11) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<256x4x32xbf16>) -> tensor<16x128x4x32xbf16>
    %25 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %26 = "stablehlo.dynamic_update_slice"(%arg12, %23, %25, %25, %25, %25) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x256x4x32xbf16>, tensor<16x128x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x256x4x32xbf16>
    %27 = "stablehlo.dynamic_update_slice"(%arg13, %24, %25, %25, %25, %25) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x256x4x32xbf16>, tensor<16x128x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<16x256x4x32xbf16>
    %28 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<256xi32>
    %29 = "stablehlo.broadcast_in_dim"(%28) <{broadcast_dimensions = array<i64: 1>}> : (tensor<256xi32>) -> tensor<1x256xi32>
    %30 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<128xi32>
    %31 = "stablehlo.broadcast_in_dim"(%30) <{broadcast_dimensions = array<i64: 0>}> : (tensor<128xi32>) -> tensor<128x1xi32>
    %32 = "stablehlo.broadcast_in_dim"(%25) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<128x1xi32>
    %33 = "stablehlo.add"(%32, %31) : (tensor<128x1xi32>, tensor<128x1xi32>) -> tensor<128x1xi32>
    %34 = "stablehlo.broadcast_in_dim"(%29) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<1x256xi32>) -> tensor<128x256xi32>
    %35 = "stablehlo.broadcast_in_dim"(%33) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<128x1xi32>) -> tensor<128x256xi32>
    %36 = "stablehlo.compare"(%34, %35) <{compare_type = #stablehlo<comparison_type SIGNED>, comparison_direction = #stablehlo<comparison_direction LE>}> : (tensor<128x256xi32>, tensor<128x256xi32>) -> tensor<128x256xi1>
    %37 = "stablehlo.broadcast_in_dim"(%36) <{broadcast_dimensions = array<i64: 3, 4>}> : (tensor<128x256xi1>) -> tensor<1x1x1x128x256xi1>
    %38 = "stablehlo.reshape"(%22) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}, {}]>]>} : (tensor<16x128x8x32xbf16>) -> tensor<16x128x4x2x32xbf16>
    %39 = "stablehlo.dot_general"(%26, %38) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 2], lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x256x4x32xbf16>, tensor<16x128x4x2x32xbf16>) -> tensor<16x4x256x128x2xbf16>
    %40 = "stablehlo.transpose"(%39) <{permutation = array<i64: 0, 1, 4, 3, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x256x128x2xbf16>) -> tensor<16x4x2x128x256xbf16>
    %41 = "stablehlo.convert"(%40) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xbf16>) -> tensor<16x4x2x128x256xf32>
    %42 = "sdy.constant"() <{value = dense<5.65685415> : tensor<f32>}> : () -> tensor<f32>
    %43 = "stablehlo.broadcast_in_dim"(%42) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %44 = "stablehlo.divide"(%41, %43) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %45 = "sdy.constant"() <{value = dense<-1.000000e+30> : tensor<f32>}> : () -> tensor<f32>
    %46 = "func.call"(%37, %44, %45) <{callee = @_where}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<1x1x1x128x256xi1>, tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128x256xf32>
    %47 = "sdy.constant"() <{value = dense<0xFF800000> : tensor<f32>}> : () -> tensor<f32>
    %48 = "stablehlo.reduce"(%46, %47) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %85 = "stablehlo.maximum"(%arg18, %arg19) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%85) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128xf32>
    %49 = "stablehlo.broadcast_in_dim"(%47) <{broadcast_dimensions = array<i64>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}]>]>} : (tensor<f32>) -> tensor<16x4x2x128xf32>
    %50 = "stablehlo.maximum"(%49, %48) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}]>]>} : (tensor<16x4x2x128xf32>, tensor<16x4x2x128xf32>) -> tensor<16x4x2x128xf32>
    %51 = "stablehlo.broadcast_in_dim"(%50) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128xf32>) -> tensor<16x4x2x128x1xf32>
    %52 = "stablehlo.broadcast_in_dim"(%51) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x1xf32>) -> tensor<16x4x2x128x256xf32>
    %53 = "stablehlo.subtract"(%46, %52) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %54 = "stablehlo.exponential"(%53) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %55 = "stablehlo.reduce"(%54, %6) <{dimensions = array<i64: 4>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %84 = "stablehlo.add"(%arg16, %arg17) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%84) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>, tensor<f32>) -> tensor<16x4x2x128xf32>
    %56 = "stablehlo.broadcast_in_dim"(%55) <{broadcast_dimensions = array<i64: 0, 1, 2, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128xf32>) -> tensor<16x4x2x128x1xf32>
    %57 = "stablehlo.broadcast_in_dim"(%56) <{broadcast_dimensions = array<i64: 0, 1, 2, 3, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x1xf32>) -> tensor<16x4x2x128x256xf32>
    %58 = "stablehlo.divide"(%54, %57) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>, tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xf32>
    %59 = "stablehlo.convert"(%58) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x4x2x128x256xf32>) -> tensor<16x4x2x128x256xbf16>
    %60 = "stablehlo.dot_general"(%27, %59) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0, 2], rhs_batching_dimensions = [0, 1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [4]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"model"}, {}, {}, {}]>]>} : (tensor<16x256x4x32xbf16>, tensor<16x4x2x128x256xbf16>) -> tensor<16x4x32x2x128xbf16>
    %61 = "stablehlo.transpose"(%60) <{permutation = array<i64: 0, 4, 1, 3, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}, {}]>]>} : (tensor<16x4x32x2x128xbf16>) -> tensor<16x128x4x2x32xbf16>
    %62 = "stablehlo.reshape"(%61) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}, {}]>]>} : (tensor<16x128x4x2x32xbf16>) -> tensor<16x128x8x32xbf16>
    %63 = "stablehlo.dot_general"(%62, %arg9) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x8x32xbf16>, tensor<8x32x256xbf16>) -> tensor<16x128x256xbf16>
    %64 = "stablehlo.add"(%arg3, %63) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %65 = "stablehlo.convert"(%64) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %66 = "stablehlo.convert"(%64) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>) -> tensor<16x128x256xf32>
    %67 = "chlo.square"(%66) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %68 = "stablehlo.reduce"(%67, %6) <{dimensions = array<i64: 2>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %83 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%83) : (tensor<f32>) -> ()
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>} : (tensor<16x128x256xf32>, tensor<f32>) -> tensor<16x128xf32>
    %69 = "stablehlo.broadcast_in_dim"(%68) <{broadcast_dimensions = array<i64: 0, 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128xf32>) -> tensor<16x128x1xf32>
    %70 = "stablehlo.divide"(%69, %10) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %71 = "stablehlo.add"(%70, %13) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>, tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %72 = "stablehlo.rsqrt"(%71) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>) -> tensor<16x128x1xf32>
    %73 = "stablehlo.broadcast_in_dim"(%72) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x1xf32>) -> tensor<16x128x256xf32>
    %74 = "stablehlo.multiply"(%65, %73) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>, tensor<16x128x256xf32>) -> tensor<16x128x256xf32>
    %75 = "stablehlo.convert"(%74) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xf32>) -> tensor<16x128x256xbf16>
    %76 = "stablehlo.broadcast_in_dim"(%arg5) <{broadcast_dimensions = array<i64: 2>}> : (tensor<256xbf16>) -> tensor<1x1x256xbf16>
    %77 = "stablehlo.broadcast_in_dim"(%76) <{broadcast_dimensions = array<i64: 0, 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<1x1x256xbf16>) -> tensor<16x128x256xbf16>
    %78 = "stablehlo.multiply"(%75, %77) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    %79 = "stablehlo.dot_general"(%78, %arg6) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x256xbf16>, tensor<256x512xbf16>) -> tensor<16x128x512xbf16>
    %80 = "func.call"(%79) <{callee = @silu}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {"model"}]>]>} : (tensor<16x128x512xbf16>) -> tensor<16x128x512xbf16>
    %81 = "stablehlo.dot_general"(%80, %arg7) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x512xbf16>, tensor<512x256xbf16>) -> tensor<16x128x256xbf16>
    %82 = "stablehlo.add"(%64, %81) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}, {}]>]>} : (tensor<16x128x256xbf16>, tensor<16x128x256xbf16>) -> tensor<16x128x256xbf16>
    "func.return"(%82, %26, %27) : (tensor<16x128x256xbf16>, tensor<16x256x4x32xbf16>, tensor<16x256x4x32xbf16>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {"model"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, []>}], function_type = (tensor<4x16x256x4x32xbf16>, tensor<16x256x4x32xbf16>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>, res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}, {"model"}, {}]>}], sym_name = "dynamic_update_index_in_dim", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<4x16x256x4x32xbf16>, %arg1: tensor<16x256x4x32xbf16>, %arg2: tensor<i32>):
    %0 = "stablehlo.broadcast_in_dim"(%arg1) <{broadcast_dimensions = array<i64: 1, 2, 3, 4>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<16x256x4x32xbf16>) -> tensor<1x16x256x4x32xbf16>
    %1 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %2 = "stablehlo.dynamic_update_slice"(%arg0, %0, %arg2, %1, %1, %1, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"data"}, {}, {"model"}, {}]>]>} : (tensor<4x16x256x4x32xbf16>, tensor<1x16x256x4x32xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x16x256x4x32xbf16>
    "func.return"(%2) : (tensor<4x16x256x4x32xbf16>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
