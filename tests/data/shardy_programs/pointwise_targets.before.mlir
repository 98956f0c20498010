"builtin.module"() <{sym_name = "pointwise_targets"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=4]>, sym_name = "mesh"}> : () -> ()
  "func.func"() <{arg_attrs = [{sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}], function_type = (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>), sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<8x16xf32>):
    %0 = "stablehlo.custom_call"(%arg0) <{call_target_name = "annotate_device_placement"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %1 = "stablehlo.custom_call"(%arg0) <{call_target_name = "Cholesky"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = "stablehlo.custom_call"(%arg0) <{call_target_name = "CompactWyHelper"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = "stablehlo.custom_call"(%arg0) <{call_target_name = "InspectSharding"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = "stablehlo.custom_call"(%arg0) <{call_target_name = "InvertDiagBlocksLowerTriangular"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %5 = "stablehlo.custom_call"(%arg0) <{call_target_name = "InvertDiagBlocksUpperTriangular"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %6 = "stablehlo.custom_call"(%arg0) <{call_target_name = "LayoutConstraint"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %7 = "stablehlo.custom_call"(%arg0) <{call_target_name = "mhlo.erf"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %8 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToDevice"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %9 = "stablehlo.custom_call"(%arg0) <{call_target_name = "MoveToHost"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %10 = "stablehlo.custom_call"(%arg0) <{call_target_name = "X64SplitHigh"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %11 = "stablehlo.custom_call"(%arg0) <{call_target_name = "X64SplitLow"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %12 = "stablehlo.custom_call"(%arg0) <{call_target_name = "xla.megascale.provide_metadata"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %13 = "stablehlo.custom_call"(%arg0) <{call_target_name = "_SPMDInternalOp_MultiPad"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %14 = "stablehlo.custom_call"(%arg0) <{call_target_name = "_SPMDInternalOp_RotateRight"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %15 = "stablehlo.custom_call"(%arg0) <{call_target_name = "_SPMDInternalOp_MultiRotate"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %16 = "stablehlo.custom_call"(%arg0) <{call_target_name = "_SPMDInternalOp_MultiSlice"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %17 = "stablehlo.custom_call"(%arg0) <{call_target_name = "_SPMDInternalOp_Wrap"}> : (tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
