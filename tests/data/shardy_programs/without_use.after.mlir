"builtin.module"() <{sym_name = "random"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=4, "one"=1, "b"=2]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "a", size = 4 : i64}, {name = "one", size = 1 : i64}, {name = "b", size = 2 : i64}]}} : () -> ()
  "func.func"() <{function_type = (tensor<16x12xf32>, tensor<16xf32>) -> (tensor<12x16xf32>, tensor<8x6xf32>, tensor<12x16xf32>, tensor<12x16xf32>, tensor<16x8xf32>, tensor<12x16xf32>), res_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, {}, {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%0: tensor<16x12xf32>, %1: tensor<16xf32>):
    %2 = "stablehlo.transpose"(%0) <{permutation = array<i64: 1, 0>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x12xf32>) -> tensor<12x16xf32>
    %3 = "stablehlo.slice"(%0) <{limit_indices = array<i64: 16, 6>, start_indices = array<i64: 0, 0>, strides = array<i64: 1, 1>}> : (tensor<16x12xf32>) -> tensor<16x6xf32>
    %4 = "stablehlo.multiply"(%2, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %5 = "stablehlo.multiply"(%3, %3) : (tensor<16x6xf32>, tensor<16x6xf32>) -> tensor<16x6xf32>
    %6 = "stablehlo.negate"(%4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %7 = "sdy.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %8 = "stablehlo.dynamic_slice"(%5, %7, %7) <{slice_sizes = array<i64: 8, 6>}> : (tensor<16x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x6xf32>
    %9 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %10 = "stablehlo.broadcast_in_dim"(%9) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<6x8xf32>
    %11 = "stablehlo.dot_general"(%5, %10) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<16x6xf32>, tensor<6x8xf32>) -> tensor<16x8xf32>
    %12 = "stablehlo.exponential"(%4) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %13 = "sdy.reshard"(%12) <{sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}> : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %14 = "sdy.constant"() <{value = dense<1.000000e+00> : tensor<12x16xf32>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : () -> tensor<12x16xf32>
    %15 = "stablehlo.subtract"(%13, %14) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<12x16xf32>, tensor<12x16xf32>) -> tensor<12x16xf32>
    %16 = "stablehlo.abs"(%11) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %17 = "stablehlo.exponential"(%12) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %18 = "stablehlo.maximum"(%16, %16) : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %19 = "stablehlo.negate"(%12) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>} : (tensor<12x16xf32>) -> tensor<12x16xf32>
    %20 = "stablehlo.reverse"(%18) <{dimensions = array<i64: 1>}> : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %21 = "sdy.reshard"(%19) <{sharding = #sdy.sharding<@mesh, [{"b", "a":(1)2}, {}]>}> : (tensor<12x16xf32>) -> tensor<12x16xf32>
    "func.return"(%6, %8, %15, %17, %20, %21) : (tensor<12x16xf32>, tensor<8x6xf32>, tensor<12x16xf32>, tensor<12x16xf32>, tensor<16x8xf32>, tensor<12x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
