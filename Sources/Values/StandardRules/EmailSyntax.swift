/// Which texts are email addresses.
///
/// ```swift
/// let sender: Rule<String> = .email(.international)
/// sender.isValid(value: "用户@例え.jp")   // true
/// ```
public enum EmailSyntax: Hashable, Sendable, CaseIterable {
    /// What a browser's `<input type=email>` takes (WHATWG, "valid email address"): ASCII, without
    /// quotes, comments or a length limit.
    case html

    /// What a mail server takes as a mailbox (RFC 5321): at most 64 bytes, an `@`, and a domain or an
    /// address in brackets, at most 254 in all; the first part may be quoted, and dots in it stand
    /// between others.
    case rfc5321

    /// The same with letters of every script (RFC 6531), without white space and control characters
    /// among them; in a domain they are those of a name (RFC 5892), of which Punycode makes at most 63 bytes.
    case international
}
