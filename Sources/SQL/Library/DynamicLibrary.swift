import ModelKitEssentials

/// A library of C functions that is found when the program runs.
package struct DynamicLibrary {
    package let name: String
    private let handle: UnsafeMutableRawPointer

    /// Where a function is; nil if the library has none of that name.
    package func address(_ symbol: String) -> UnsafeRawPointer? {
        dlsym(handle, symbol).map { UnsafeRawPointer($0) }
    }

    /// Loads the first of the libraries that can be found, for good, as what is read from it is kept.
    ///
    /// - Parameters:
    ///   - names: The names of the libraries.
    ///   - read: Reads the functions; if it throws, the library is let go.
    ///   - notFound: Makes an error of what the system said, if there is none.
    /// - Returns: What was read.
    /// - Throws: That error, or what reading throws.
    package static func load<Functions>(
        _ names: [String],
        _ read: (DynamicLibrary) throws -> Functions,
        notFound: (String) -> any Error
    ) throws -> Functions {
        var reasons: [String] = []
        for name in names {
            if let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) {
                do {
                    return try read(DynamicLibrary(name: name, handle: handle))
                } catch {
                    dlclose(handle)
                    throw error
                }
            }
            reasons.append(dlerror().map { String(cString: $0) } ?? "\(name) cannot be loaded")
        }
        throw notFound(reasons.joined(separator: "; "))
    }
}
