// Who imports the stores has the promises that they give, and the values and rules of what they keep.
@_exported public import ModelKitPromises
@_exported public import ModelKitValues
