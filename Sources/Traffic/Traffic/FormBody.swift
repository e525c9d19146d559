import FitIQAPI
import JSON
import Text

/// The body of a form, as its fields: their order, the boundary and the spelling of percent-encoding mean nothing.
package struct FormBody {
    package struct Field {
        package var name: String
        /// The media type of a part, and whether it is a file.
        package var kind = ""
        package var content: [UInt8]
    }

    package let fields: [Field]

    /// Nil unless the media type is that of a form and the body is one.
    package init?(_ body: [UInt8], of fields: [SessionField]) {
        guard !body.isEmpty, let type = fields.value(of: "content-type") else { return nil }
        switch type.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
        case "application/x-www-form-urlencoded":
            self.fields = body.withUnsafeBufferPointer { PercentCoding.items($0) }.map {
                Field(name: $0.name, content: Array($0.value.utf8))
            }
        case "multipart/form-data":
            guard let parts = try? FormPart.parts(of: body, contentType: type) else { return nil }
            self.fields = parts.map { part in
                let type = part.type ?? (part.isFile ? "application/octet-stream" : "")
                return Field(
                    name: part.name, kind: part.isFile ? "file \(type)" : type, content: Array(body[part.content]))
            }
        default: return nil
        }
    }

    /// The fields of two forms by name; those of a name that occurs several times are numbered in order.
    static func pairs(
        _ first: FormBody, _ second: FormBody
    ) -> [(name: String, index: Int?, first: Field?, second: Field?)] {
        let (left, right) = (first.byName, second.byName)
        var seen: Set<ExactString> = []
        let names = (first.fields + second.fields).map { ExactString($0.name) }.filter { seen.insert($0).inserted }
        return names.flatMap { name in
            let (fields, others) = (left[name] ?? [], right[name] ?? [])
            let count = max(fields.count, others.count)
            return (0..<count).map {
                (name.text, count > 1 ? $0 : nil, fields.dropFirst($0).first, others.dropFirst($0).first)
            }
        }
    }

    private var byName: [ExactString: [Field]] { Dictionary(grouping: fields) { ExactString($0.name) } }
}
