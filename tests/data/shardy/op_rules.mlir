"builtin.module"() <{sym_name = "ops"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{function_type = (tensor<8x16xf32>, tensor<16x4xf32>, tensor<f32>, tensor<4x8x8xf32>, tensor<i32>, tensor<8x16x16x4xf32>, tensor<3x3x4x8xf32>, tensor<16x5x4x8xf32>, tensor<8x2xi32>, tensor<6x8x16xf32>, tensor<16xf32>, tensor<2xui64>, tensor<8x16xi1>, tensor<4x8x3xf32>, tensor<8x8x8x4xf32>, tensor<3x3x2x8xf32>, tensor<3x3x4x8xf32>, tensor<8x16xf32>, tensor<6x5x1xi32>, tensor<4xf32>) -> tensor<8x16xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<f32>, %arg3: tensor<4x8x8xf32>, %arg4: tensor<i32>, %arg5: tensor<8x16x16x4xf32>, %arg6: tensor<3x3x4x8xf32>, %arg7: tensor<16x5x4x8xf32>, %arg8: tensor<8x2xi32>, %arg9: tensor<6x8x16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<2xui64>, %arg12: tensor<8x16xi1>, %arg13: tensor<4x8x3xf32>, %arg14: tensor<8x8x8x4xf32>, %arg15: tensor<3x3x2x8xf32>, %arg16: tensor<3x3x4x8xf32>, %arg17: tensor<8x16xf32>, %arg18: tensor<6x5x1xi32>, %arg19: tensor<4xf32>):
    %0 = "stablehlo.cholesky"(%arg3) <{lower = true}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=8} need_replication={j, k}>} : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
    %1 = "stablehlo.triangular_solve"(%arg3, %arg13) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, k])->([i, l, k]) {i=4, j=8, k=3, l=8} need_replication={j, k, l}>} : (tensor<4x8x8xf32>, tensor<4x8x3xf32>) -> tensor<4x8x3xf32>
    %2 = "stablehlo.transpose"(%arg13) <{permutation = array<i64: 0, 2, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j])->([i, j, k]) {i=4, j=3, k=8}>} : (tensor<4x8x3xf32>) -> tensor<4x3x8xf32>
    %3 = "stablehlo.triangular_solve"(%arg3, %2) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, l], [i, j, k])->([i, j, l]) {i=4, j=3, k=8, l=8} need_replication={j, k, l}>} : (tensor<4x8x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    %4 = "stablehlo.triangular_solve"(%arg3, %arg13) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j], [i, j, k])->([i, l, k]) {i=4, j=8, k=3, l=8} need_replication={j, k, l}>} : (tensor<4x8x8xf32>, tensor<4x8x3xf32>) -> tensor<4x8x3xf32>
    %5 = "stablehlo.triangular_solve"(%arg3, %2) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [i, j, k])->([i, j, l]) {i=4, j=3, k=8, l=8} need_replication={j, k, l}>} : (tensor<4x8x8xf32>, tensor<4x3x8xf32>) -> tensor<4x3x8xf32>
    %6 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=16, k=32} need_replication={j, k}>} : (tensor<8x16xf32>) -> tensor<8x32xf32>
    %7 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([k, i])->([l, j]) {i=16, j=8, k=8, l=16} need_replication={i, j, k, l}>} : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %8 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=16, k=16} need_replication={j, k}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %9 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg48: tensor<f32>, %arg49: tensor<f32>):
      %89 = "stablehlo.add"(%arg48, %arg49) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%89) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([k, i]) {i=16, j=8, k=4} need_replication={j, k}>} : (tensor<8x16xf32>) -> tensor<4x16xf32>
    %10:2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.topk"}> {mhlo.attributes = {k = 4 : i64, largest = true}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>} : (tensor<8x16xf32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %11:2 = "stablehlo.custom_call"(%arg3) <{call_target_name = "Eigh"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, k]) {i=4, j=8, k=8}>} : (tensor<4x8x8xf32>) -> (tensor<4x8x8xf32>, tensor<4x8xf32>)
    %12:2 = "stablehlo.custom_call"(%arg13) <{call_target_name = "Qr"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=4, j=8, k=3, l=3} need_replication={j, k, l}>} : (tensor<4x8x3xf32>) -> (tensor<4x8x3xf32>, tensor<4x3xf32>)
    %13 = "stablehlo.custom_call"(%arg13, %12#1) <{call_target_name = "ProductOfElementaryHouseholderReflectors"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=4, j=8, k=3, l=3} need_replication={j, k, l}>} : (tensor<4x8x3xf32>, tensor<4x3xf32>) -> tensor<4x8x3xf32>
    %14 = "stablehlo.iota"() <{iota_dimension = 1 : i64}> : () -> tensor<8x16xi32>
    %15:2 = "stablehlo.custom_call"(%arg0, %14, %arg2, %arg4) <{call_target_name = "ApproxTopK"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i, k], [i, k]) {i=8, j=16, k=4} need_replication={k} blocked_propagation={k}>} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8x4xf32>, tensor<8x4xi32>)
    %16 = "stablehlo.custom_call"(%arg10, %arg10) <{call_target_name = "X64Combine"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=16}>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %17 = "stablehlo.slice"(%arg10) <{limit_indices = array<i64: 2>, start_indices = array<i64: 0>, strides = array<i64: 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=16} permutation={i}>} : (tensor<16xf32>) -> tensor<2xf32>
    %18 = "stablehlo.custom_call"(%17, %17) <{call_target_name = "X64Combine"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=2} need_replication={i} blocked_propagation={i}>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xui64>
    %19:2 = "stablehlo.rng_bit_generator"(%18) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [j, k]) {i=2, j=8, k=16} need_replication={i} blocked_propagation={i}>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x16xui32>)
    %20 = "stablehlo.custom_call"(%arg0) <{call_target_name = "unknown"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %21 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToHost"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %22 = "stablehlo.bitcast_convert"(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j, k]) {i=8, j=16, k=2} need_replication={k}>} : (tensor<8x16xf32>) -> tensor<8x16x2xf16>
    %23 = "stablehlo.bitcast_convert"(%22) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j]) {i=8, j=16, k=2} need_replication={k}>} : (tensor<8x16x2xf16>) -> tensor<8x16xf32>
    %24 = "stablehlo.dot"(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}>} : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %25 = "stablehlo.dot"(%arg10, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=4, j=16} reduction={j}>} : (tensor<16xf32>, tensor<16x4xf32>) -> tensor<4xf32>
    %26 = "stablehlo.dot"(%arg0, %arg10) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i]) {i=8, j=16} reduction={j}>} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8xf32>
    %27 = "stablehlo.dot"(%arg10, %arg10) {sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([]) {i=16} reduction={i}>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
    %28 = "stablehlo.convolution"(%arg5, %arg6) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, padding = dense<1> : tensor<2x2xi64>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [n, o, l, m])->([i, j, k, m]) {i=8, j=16, k=16, l=4, m=8, n=1, o=1} reduction={l} permutation={j, k}>} : (tensor<8x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x16x16x8xf32>
    %29 = "stablehlo.convolution"(%arg5, %arg7) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, window_strides = array<i64: 1, 2>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, kl, m], [j, l, m, n])->([i, o, k, n]) {i=8, j=16, k=6, l=2, m=4, n=8, o=1} reduction={j, l, m} permutation={k}>} : (tensor<8x16x16x4xf32>, tensor<16x5x4x8xf32>) -> tensor<8x1x6x8xf32>
    %30 = "stablehlo.convolution"(%arg5, %arg15) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 2 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, lm], [o, p, m, ln])->([i, j, k, ln]) {i=8, j=14, k=14, l=2, m=2, n=4, o=1, p=1} reduction={m} permutation={j, k}>} : (tensor<8x16x16x4xf32>, tensor<3x3x2x8xf32>) -> tensor<8x14x14x8xf32>
    %31 = "stablehlo.convolution"(%arg5, %arg16) <{batch_group_count = 4 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k, l, m], [o, p, m, in])->([j, k, l, in]) {i=4, j=2, k=14, l=14, m=4, n=2, o=1, p=1} reduction={m} permutation={k, l}>} : (tensor<8x16x16x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x14x14x8xf32>
    %32 = "stablehlo.gather"(%arg0, %arg8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=8, j=16, k=8, l=2} reduction={k} need_replication={j, l} blocked_propagation={j}>} : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8x4xf32>
    %33 = "stablehlo.gather"(%arg0, %arg8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([j, l], [i, m])->([i, k, l]) {i=8, j=8, k=1, l=16, m=2} reduction={j} need_replication={k, m}>} : (tensor<8x16xf32>, tensor<8x2xi32>) -> tensor<8x1x16xf32>
    %34 = "stablehlo.gather"(%arg9, %arg18) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 16>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [i, j, m])->([i, j, k]) {i=6, j=5, k=16, l=8, m=1} reduction={l} need_replication={m}>} : (tensor<6x8x16xf32>, tensor<6x5x1xi32>) -> tensor<6x5x16xf32>
    %35 = "stablehlo.scatter"(%arg0, %arg8, %arg17) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<f32>):
      "stablehlo.return"(%arg47) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l], [i, j])->([k, j]) {i=8, j=16, k=8, l=2} need_replication={i, l}>} : (tensor<8x16xf32>, tensor<8x2xi32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %36 = "stablehlo.slice"(%arg17) <{limit_indices = array<i64: 8, 4>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>) -> tensor<8x4xf32>
    %37 = "stablehlo.scatter"(%arg0, %arg8, %36) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%arg44: tensor<f32>, %arg45: tensor<f32>):
      %88 = "stablehlo.add"(%arg45, %arg44) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%88) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([l, j], [i, m], [i, k])->([l, j]) {i=8, j=16, k=4, l=8, m=2} reduction={i} need_replication={j, k, m}>} : (tensor<8x16xf32>, tensor<8x2xi32>, tensor<8x4xf32>) -> tensor<8x16xf32>
    %38:2 = "stablehlo.sort"(%arg0, %14) <{dimension = 1 : i64}> ({
    ^bb0(%arg40: tensor<f32>, %arg41: tensor<f32>, %arg42: tensor<i32>, %arg43: tensor<i32>):
      %87 = "stablehlo.compare"(%arg40, %arg41) <{comparison_direction = #stablehlo<comparison_direction LT>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%87) : (tensor<i1>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=8, j=16} need_replication={j}>} : (tensor<8x16xf32>, tensor<8x16xi32>) -> (tensor<8x16xf32>, tensor<8x16xi32>)
    %39 = "stablehlo.sort"(%arg10) <{dimension = -1 : i64}> ({
    ^bb0(%arg38: tensor<f32>, %arg39: tensor<f32>):
      %86 = "stablehlo.compare"(%arg38, %arg39) <{comparison_direction = #stablehlo<comparison_direction LT>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%86) : (tensor<i1>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=16}>} : (tensor<16xf32>) -> tensor<16xf32>
    %40 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 16>, fft_type = #stablehlo<fft_type RFFT>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} need_replication={j} blocked_propagation={j}>} : (tensor<8x16xf32>) -> tensor<8x9xcomplex<f32>>
    %41 = "stablehlo.fft"(%40) <{fft_length = array<i64: 8, 9>, fft_type = #stablehlo<fft_type FFT>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=9} need_replication={i, j}>} : (tensor<8x9xcomplex<f32>>) -> tensor<8x9xcomplex<f32>>
    %42 = "stablehlo.reduce_window"(%arg5, %arg2) <{padding = dense<[[0, 0], [0, 0], [0, 0], [2, 2]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 1, 1>, window_strides = array<i64: 1, 2, 1, 1>}> ({
    ^bb0(%arg36: tensor<f32>, %arg37: tensor<f32>):
      %85 = "stablehlo.add"(%arg36, %arg37) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%85) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [])->([i, j, k, l]) {i=8, j=8, k=16, l=8} permutation={j, l}>} : (tensor<8x16x16x4xf32>, tensor<f32>) -> tensor<8x8x16x8xf32>
    %43 = "stablehlo.select_and_scatter"(%arg5, %arg14, %arg2) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg34: tensor<f32>, %arg35: tensor<f32>):
      %84 = "stablehlo.compare"(%arg34, %arg35) <{comparison_direction = #stablehlo<comparison_direction GE>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%84) : (tensor<i1>) -> ()
    }, {
    ^bb0(%arg32: tensor<f32>, %arg33: tensor<f32>):
      %83 = "stablehlo.add"(%arg32, %arg33) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%83) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, m, n], [i, j, l, n], [])->([i, k, m, n]) {i=8, j=8, k=16, l=8, m=16, n=4} need_replication={j, l} permutation={k, m}>} : (tensor<8x16x16x4xf32>, tensor<8x8x8x4xf32>, tensor<f32>) -> tensor<8x16x16x4xf32>
    %44 = "stablehlo.dynamic_slice"(%arg0, %arg4, %arg4) <{slice_sizes = array<i64: 4, 16>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=8, j=16} need_replication={i} blocked_propagation={i}>} : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<4x16xf32>
    %45 = "stablehlo.dynamic_update_slice"(%arg0, %44, %arg4, %arg4) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [], [])->([i, k]) {i=8, j=4, k=16} need_replication={j}>} : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %46 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %47 = "stablehlo.dynamic_update_slice"(%arg0, %44, %46, %46) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [], [])->([i, k]) {i=8, j=4, k=16}>} : (tensor<8x16xf32>, tensor<4x16xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
    %48 = "stablehlo.reshape"(%arg9) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, mn, o])->([ik, ln, o, p]) {i=2, j=3, k=2, l=3, m=2, n=4, o=16, p=1}>} : (tensor<6x8x16xf32>) -> tensor<4x12x16x1xf32>
    %49 = "stablehlo.reshape"(%arg9) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([ijk]) {i=6, j=8, k=16}>} : (tensor<6x8x16xf32>) -> tensor<768xf32>
    %50 = "stablehlo.reshape"(%49) {sdy.sharding_rule = #sdy.op_sharding_rule<([jkl])->([i, j, k, l]) {i=1, j=8, k=3, l=32}>} : (tensor<768xf32>) -> tensor<1x8x3x32xf32>
    %51 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 4, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<8x16xf32>) -> tensor<4x16xf32>
    %52 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 8, 16>, start_indices = array<i64: 4, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<8x16xf32>) -> tensor<4x16xf32>
    %53 = "stablehlo.concatenate"(%52, %51) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %54 = "stablehlo.concatenate"(%52, %arg0) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=12, j=16} permutation={i}>} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<12x16xf32>
    %55 = "stablehlo.concatenate"(%arg0, %arg17) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=16, j=16} need_replication={i}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %56 = "stablehlo.concatenate"(%arg0, %arg0) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=16, j=16} need_replication={i}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %57 = "stablehlo.slice"(%arg17) <{limit_indices = array<i64: 4, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<8x16xf32>) -> tensor<4x16xf32>
    %58 = "stablehlo.concatenate"(%57, %52) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
    %59 = "stablehlo.concatenate"(%57, %arg0) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=12, j=16} need_replication={i}>} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<12x16xf32>
    %60 = "stablehlo.concatenate"(%arg0, %52) <{dimension = 0 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=12, j=16} permutation={i}>} : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
    %61 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 1, 16>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={i}>} : (tensor<8x16xf32>) -> tensor<1x16xf32>
    %62 = "stablehlo.sort"(%61) <{dimension = 1 : i64}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %82 = "stablehlo.compare"(%arg30, %arg31) <{comparison_direction = #stablehlo<comparison_direction LT>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<i1>
      "stablehlo.return"(%82) : (tensor<i1>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=1, j=16} need_replication={j} blocked_propagation={j}>} : (tensor<1x16xf32>) -> tensor<1x16xf32>
    %63 = "stablehlo.reduce_window"(%arg0, %arg2) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %81 = "stablehlo.add"(%arg28, %arg29) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%81) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=14} permutation={j}>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x14xf32>
    %64 = "stablehlo.reduce_window"(%arg0, %arg2) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %80 = "stablehlo.add"(%arg26, %arg27) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%80) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=8} permutation={j}>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x8xf32>
    %65 = "stablehlo.gather"(%61, %arg8) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, l])->([i, j]) {i=8, j=16, k=1, l=2} need_replication={k, l}>} : (tensor<1x16xf32>, tensor<8x2xi32>) -> tensor<8x16xf32>
    %66 = "stablehlo.scatter"(%arg9, %arg18, %34) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %79 = "stablehlo.add"(%arg24, %arg25) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>} : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%79) : (tensor<f32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [i, j, m], [i, j, k])->([i, l, k]) {i=6, j=5, k=16, l=8, m=1} reduction={j} need_replication={m}>} : (tensor<6x8x16xf32>, tensor<6x5x1xi32>, tensor<6x5x16xf32>) -> tensor<6x8x16xf32>
    %67 = "stablehlo.clamp"(%arg2, %arg0, %arg2) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [])->([i, j]) {i=8, j=16}>} : (tensor<f32>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
    %68 = "stablehlo.constant"() <{value = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %69 = "stablehlo.select"(%68, %arg0, %arg17) {sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<i1>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %70 = "stablehlo.reverse"(%arg0) <{dimensions = array<i64: 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %71 = "stablehlo.pad"(%arg0, %arg2) <{edge_padding_high = array<i64: 0, 1>, edge_padding_low = array<i64: 0, 1>, interior_padding = array<i64: 0, 0>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x18xf32>
    %72:2 = "stablehlo.reduce"(%arg0, %14, %arg2, %arg4) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<i32>, %arg22: tensor<f32>, %arg23: tensor<i32>):
      "stablehlo.return"(%arg20, %arg21) : (tensor<f32>, tensor<i32>) -> ()
    }) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [], [])->([i], [i]) {i=8, j=16} reduction={j}>} : (tensor<8x16xf32>, tensor<8x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<8xf32>, tensor<8xi32>)
    %73 = "stablehlo.slice"(%arg0) <{limit_indices = array<i64: 8, 1>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>) -> tensor<8x1xf32>
    %74 = "stablehlo.broadcast_in_dim"(%73) <{broadcast_dimensions = array<i64: 1, 2>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([j, k])->([i, j, l]) {i=5, j=8, k=1, l=16}>} : (tensor<8x1xf32>) -> tensor<5x8x16xf32>
    %75 = "stablehlo.dot_general"(%arg3, %arg13) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=4, j=8, k=3, l=8} reduction={l}>} : (tensor<4x8x8xf32>, tensor<4x8x3xf32>) -> tensor<4x8x3xf32>
    %76 = "stablehlo.custom_call"(%arg0) <{call_target_name = "given"}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=8, j=16, k=16} reduction={j} need_replication={k}, custom>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %77 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %78 = "stablehlo.batch_norm_inference"(%arg5, %arg19, %arg19, %arg19, %arg19) <{epsilon = 1.000000e-03 : f32, feature_index = 3 : i64}> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [l], [l], [l], [l])->([i, j, k, l]) {i=8, j=16, k=16, l=4}>} : (tensor<8x16x16x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<8x16x16x4xf32>
    "func.return"(%arg0) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
