/// The file of a group, and the version of it before the last write.
struct ArchiveFile: Sendable {
    let path: String
    private let directory: String

    /// The file of a group in a directory.
    ///
    /// Each name has a file of its own, also where file systems ignore case: all but lower-case
    /// letters, digits and hyphens are written as `_` and two hexadecimal digits for each byte.
    init(ofGroup group: String, in directory: String) throws(StoreError) {
        var name = "group-"
        for byte in group.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "_" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        // With the ending of a file that is being written, as long as file systems take.
        if name.utf8.count > 200 {
            throw .unsupported("the name of the group is too long for a file: \(group)")
        }
        let path: String
        do {
            path = try FileSystem.followingLinks("\(directory)/\(name).archive")
        } catch {
            throw .unavailable(error.description, .notApplied)
        }
        self.path = path
        // Not that of the link: a file is replaced by one that was written beside it.
        self.directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? directory
    }

    var previousPath: String { path + ".previous" }
    /// Where a file is written before it gets its name.
    private var newPath: String { path + ".new" }
    private var newPreviousPath: String { path + ".previous.new" }

    /// What the file holds; nothing if there is none.
    ///
    /// - Throws: `.corrupt` also where the file is gone, but not the version of before: it was not written for
    ///   the first time then.
    func read() throws(StoreError) -> RecordTables {
        if let tables = try read(path) { return tables }
        if FileSystem.isThere(previousPath) {
            throw .corrupt(
                "\(path) is missing, but its version before the last write is there: "
                    + "restorePreviousVersion() goes back to it"
            )
        }
        return RecordTables()
    }

    /// What the file held before the last write; nil if there was none.
    func readPrevious() throws(StoreError) -> RecordTables? { try read(previousPath) }

    private func read(_ path: String) throws(StoreError) -> RecordTables? {
        do {
            return try ArchiveFormat.decode(FileSystem.contents(of: path))
        } catch let failure as FileSystem.Failure {
            if failure.isMissing { return nil }
            throw .unavailable(failure.description, .notApplied)
        } catch ArchiveFormatError.newer(let version) {
            throw .schema(
                "\(path) has version \(version) of the format, but this library knows only those up to "
                    + "\(ArchiveFormat.version)"
            )
        } catch ArchiveFormatError.damaged(let reason) {
            throw .corrupt("\(path) is damaged: \(reason)")
        } catch {
            throw .corrupt("\(path) is damaged: \(error)")
        }
    }

    /// Puts contents in the place of those that the file holds: whenever the process or the machine
    /// stops, the one or the other are there, whole.
    ///
    /// - Throws: A `StoreError` that says whether the new contents may be there.
    func replace(with tables: RecordTables) throws(StoreError) {
        do {
            try FileSystem.write(ArchiveFormat.encode(tables), to: newPath)
            try keepPrevious()
            try FileSystem.rename(newPath, to: path)
        } catch {
            // It was of no use, and its place may be needed.
            try? FileSystem.remove(newPath)
            let reason = (error as? FileSystem.Failure)?.description ?? "\(error)"
            throw .unavailable(reason, .notApplied)
        }
        do {
            try FileSystem.synchronise(directory: directory)
        } catch {
            throw .unavailable(error.description, .unknown)
        }
    }

    /// Gives the file a second name, under which it stays.
    private func keepPrevious() throws(FileSystem.Failure) {
        try FileSystem.remove(newPreviousPath)
        do {
            try FileSystem.addName(newPreviousPath, to: path)
        } catch {
            if error.isMissing { return }
            // Some file systems know only one name for a file.
            try FileSystem.write(FileSystem.contents(of: path), to: newPreviousPath)
        }
        try FileSystem.rename(newPreviousPath, to: previousPath)
    }

    /// Removes what a process that was stopped has left half-written.
    func sweep() {
        try? FileSystem.remove(newPath)
        try? FileSystem.remove(newPreviousPath)
    }
}
