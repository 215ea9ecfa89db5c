/// Whether the bytes are an IBAN of ISO 13616: a country of the registry, its length and the check
/// digits; a space may stand between two characters.
package func isIBAN<Bytes: Sequence<UInt8>>(_ bytes: Bytes) -> Bool {
    var country = 0
    var check = 0
    var count = 0
    var isBetween = false
    var remainder = 0
    for byte in bytes {
        let value: Int
        switch byte {
        case UInt8(ascii: " "):
            guard count > 0, !isBetween else { return false }
            isBetween = true
            continue
        case 0x30...0x39 where count > 1: value = Int(byte - 0x30)
        case UInt8(ascii: "A")...UInt8(ascii: "Z") where !(2...3 ~= count):
            value = Int(byte - UInt8(ascii: "A")) + 10
        default: return false
        }
        switch count {
        case 0, 1: country = country * 100 + value
        case 2, 3: check = check * 10 + value
        default: remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97
        }
        isBetween = false
        count += 1
    }
    // The country and the check digits count behind the rest.
    remainder = (remainder * 10_000 + country) % 97
    remainder = (remainder * 100 + check) % 97
    // ISO 7064 makes no others.
    return !isBetween && 2...98 ~= check && remainder == 1 && ibanLengths[country] == count
}

/// The lengths of the registry, by the two letters of the country as a number: A is 10.
private let ibanLengths: [Int: Int] = {
    let registry = """
        AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
        DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 \
        IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 \
        MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 \
        SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30
        """
    var lengths: [Int: Int] = [:]
    for entry in registry.split(separator: " ") {
        let country = entry.utf8.prefix(2).reduce(0) { $0 * 100 + Int($1) - 55 }
        lengths[country] = Int(entry.dropFirst(2))
    }
    return lengths
}()
