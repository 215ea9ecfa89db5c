// What the library takes from Foundation: its essentials, where they are a module of their own.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
