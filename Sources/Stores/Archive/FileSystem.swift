package import ModelKitEssentials

/// The calls of the system that durable files need and Foundation does not have (POSIX.1-2017).
package enum FileSystem {
    /// A call that failed.
    package struct Failure: Error {
        let action: String
        let path: String
        let code: Int32

        var isMissing: Bool { code == ENOENT }
        package var isBusy: Bool { code == EWOULDBLOCK }
        package var description: String {
            "\(path) cannot be \(action): \(String(cString: strerror(code)))"
        }
    }

    /// The bytes of a file.
    static func contents(of path: String) throws(Failure) -> Data {
        let file = try opened(path, O_RDONLY, "read")
        defer { close(file) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                retrying { read(file, bytes.baseAddress, bytes.count) }
            }
            if count == 0 { return data }
            if count < 0 { throw Failure(action: "read", path: path, code: errno) }
            data += buffer[..<count]
        }
    }

    /// Writes a file anew, and returns when its bytes are on the disk.
    package static func write(_ data: Data, to path: String) throws(Failure) {
        let file = try opened(path, O_WRONLY | O_CREAT | O_TRUNC, "written")
        var failure: Int32?
        data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty, failure == nil {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = retrying { systemWrite(file, part.baseAddress, part.count) }
                if count < 0 { failure = errno } else { rest = rest.dropFirst(count) }
            }
        }
        if failure == nil, synchronise(file) != 0 { failure = errno }
        // Some file systems report only here that there was no room.
        if close(file) != 0, failure == nil, errno != EINTR { failure = errno }
        if let failure { throw Failure(action: "written", path: path, code: failure) }
    }

    /// Gives a file another name, in place of what has that, at once.
    package static func rename(_ path: String, to other: String) throws(Failure) {
        try check(systemRename(path, other), "renamed", path)
    }

    /// Gives a file a second name, which must be free.
    static func addName(_ other: String, to path: String) throws(Failure) {
        try check(link(path, other), "linked", path)
    }

    /// Whether there is something of a name.
    static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Where a path leads to if it is a link; itself if it is none, or there is nothing.
    static func followingLinks(_ path: String) throws(Failure) -> String {
        var path = path
        // As many as Linux follows.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(path, &buffer, buffer.count - 1)
            // It is a file, or missing, or what reading and writing it will fail with.
            if count < 0 { return path }
            let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
            let target = String(decoding: bytes, as: UTF8.self)
            let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = target.hasPrefix("/") ? target : directory + target
        }
        throw Failure(action: "followed", path: path, code: ELOOP)
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: String) throws(Failure) {
        let result = unlink(path)
        if result == 0 || errno != ENOENT { try check(result, "removed", path) }
    }

    /// Returns when the names in a directory are on the disk.
    package static func synchronise(directory path: String) throws(Failure) {
        let directory = try opened(path, O_RDONLY | O_DIRECTORY, "read")
        defer { close(directory) }
        try check(synchronise(directory), "written", path)
    }

    /// Returns when the bytes of a file that another has written are on the disk.
    package static func synchronise(file path: String) throws(Failure) {
        let file = try opened(path, O_RDWR, "written")
        defer { close(file) }
        try check(synchronise(file), "written", path)
    }

    /// Locks a file, which is made if there is none, until the descriptor is closed: for one, or for all
    /// who share it.
    ///
    /// Who may use the file `other` may lock this one, too; without it the user of the process alone.
    package static func lock(
        _ path: String,
        shared: Bool = false,
        like other: String? = nil
    ) throws(Failure) -> Int32 {
        let flags = O_RDWR | O_CREAT | (other == nil ? 0 : O_NOFOLLOW)
        let file = try opened(path, flags, "locked", mode: other == nil ? 0o600 : 0o644)
        if let other { share(lock: file, withUsersOf: other) }
        let operation = (shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        if retrying({ Int(flock(file, operation)) }) != 0 {
            let code = errno
            close(file)
            throw Failure(action: "locked", path: path, code: code)
        }
        return file
    }

    /// Lets those lock a file who may use another one, as far as the user of the process can do that.
    private static func share(lock file: Int32, withUsersOf other: String) {
        var (own, status) = (stat(), stat())
        guard stat(other, &status) == 0, fstat(file, &own) == 0 else { return }
        // A file that somebody has moved there, or given that name, too, is not to be given away.
        guard own.st_mode & S_IFMT == S_IFREG, own.st_nlink == 1, own.st_size == 0 else { return }
        let user = geteuid() == 0 ? status.st_uid : uid_t.max
        // Only who is in the group of the other file can give it to that.
        let hasGroup =
            fchown(file, user, status.st_gid) == 0
            || fstat(file, &own) == 0 && own.st_gid == status.st_gid
        // Otherwise the group of the file are others there.
        let group = hasGroup ? status.st_mode & 0o060 : (status.st_mode & 0o006) << 3
        _ = fchmod(file, status.st_mode & 0o606 | group | 0o600)
    }

    package static func unlock(_ file: Int32) { close(file) }

    private static func check(
        _ result: Int32,
        _ action: String,
        _ path: String
    ) throws(Failure) {
        if result != 0 { throw Failure(action: action, path: path, code: errno) }
    }

    private static func opened(
        _ path: String,
        _ flags: Int32,
        _ action: String,
        mode: mode_t = 0o600
    ) throws(Failure) -> Int32 {
        // Nobody but the user of the process needs to read the models.
        let file = Int32(retrying { Int(open(path, flags | O_CLOEXEC, mode)) })
        if file < 0 { throw Failure(action: action, path: path, code: errno) }
        return file
    }

    private static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    /// `fsync` alone leaves the bytes in the disk's own memory on Apple platforms.
    private static func synchronise(_ file: Int32) -> Int32 {
        #if canImport(Darwin)
        let result = fcntl(file, F_FULLFSYNC)
        return result == -1 ? fsync(file) : 0
        #else
        return Int32(retrying { Int(fsync(file)) })
        #endif
    }
}

// Under names that the members of `FileSystem` do not hide.
private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}
private func systemRename(_ path: String, _ other: String) -> Int32 { rename(path, other) }
