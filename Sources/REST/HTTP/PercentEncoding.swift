/// Percent-encoding (RFC 3986, 2.1), of UTF-8.
package enum PercentEncoding {
    /// Appends a text in which all characters are encoded but those that stay as they are, by default the
    /// unreserved ones.
    ///
    /// A `+` is, too, which many take for a space; and so are characters that a path might have, such as
    /// `;`, of which some servers make something of their own.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - bytes: What it is appended to.
    ///   - isPlain: What stays as it is.
    package static func append(
        _ text: String,
        to bytes: inout [UInt8],
        where isPlain: (UInt8) -> Bool = \.isUnreserved
    ) {
        for byte in text.utf8 {
            guard !isPlain(byte) else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(ascii: "%"))
            bytes.append(digit(byte >> 4))
            bytes.append(digit(byte & 15))
        }
    }

    /// Appends a text as one segment of a path.
    ///
    /// The segments `.` and `..` are encoded as well, as no path may have them (RFC 3986, 5.2.4).
    package static func append(segment: String, to bytes: inout [UInt8]) {
        guard segment == "." || segment == ".." else { return append(segment, to: &bytes) }
        append(segment, to: &bytes) { _ in false }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") - 10 + value
    }

    /// What is encoded; nil if there is a `%` without two digits, or a byte that may not be there as it
    /// is.
    static func decode(
        _ bytes: some RandomAccessCollection<UInt8>,
        plusIsSpace: Bool = false,
        where isAllowed: (UInt8) -> Bool
    ) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes.makeIterator()
        while let byte = rest.next() {
            if byte != UInt8(ascii: "%") {
                guard isAllowed(byte) else { return nil }
                let isSpace = plusIsSpace && byte == UInt8(ascii: "+")
                decoded.append(isSpace ? UInt8(ascii: " ") : byte)
                continue
            }
            guard let high = rest.next()?.hexValue, let low = rest.next()?.hexValue else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return decoded
    }
}

extension UInt8 {
    /// Whether it stands for itself everywhere (RFC 3986, 2.3).
    package var isUnreserved: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// Whether a segment of a path may have it as it is (`pchar` in RFC 3986, 3.3).
    var isOfPath: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
            UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: ":"), UInt8(ascii: "@"):
            true
        default: isUnreserved
        }
    }

    /// What it stands for as a hexadecimal digit; nil if it is none.
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
