// Who imports the stores has the promises that they give.
@_exported public import ModelKitPromises
