import Digests
import JSON

extension String {
    /// Whether the string contains only white space.
    package var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension BodyReader {
    /// A list of at most this many objects, or nil if the field is absent; errors name an element by its index.
    func list<Element>(
        _ field: String, _ counts: ClosedRange<Int>, _ read: (BodyReader) throws(APIError) -> Element
    ) throws(APIError) -> [Element]? {
        guard let value = self[field] else { return nil }
        guard let list = value.array, counts.contains(list.count) else {
            throw .wrongType(field, expected: Self.list(of: counts), got: value)
        }
        var elements: [Element] = []
        for (index, value) in list.enumerated() {
            let place = "\(field)[\(index)]"
            guard let object = value.object else { throw .wrongType(place, expected: "an object", got: value) }
            do throws(APIError) {
                elements.append(try read(BodyReader(object)))
            } catch {
                var refusal = error
                refusal.message = "In \(place): \(error.message)"
                throw refusal
            }
        }
        return elements
    }

    static func list(of counts: ClosedRange<Int>) -> String {
        "a list of \(counts.lowerBound) to \(counts.upperBound) objects"
    }

    /// The foods from an app; nil if the field is absent.
    ///
    /// - Parameter name: The field with a food's name.
    func foods(
        _ field: String, _ counts: ClosedRange<Int> = MealItem.counts, named name: String = "food_name"
    ) throws(APIError) -> [MealItem]? {
        try list(field, counts) { fields throws(APIError) in try MealItem(fields, named: name) }
    }
}

/// The body of `POST /api/v1/meal-logs/natural` (meal-log-websocket, CreateMealLogRequest), or one meal of a batch.
public struct CreateMealLogRequest: Equatable, Sendable {
    /// The meal as text, 1 to 1,000 characters and not blank; from the client, or from the foods' names.
    public var rawInput: String
    /// The foods, if the user entered them individually, which only the apps support.
    public var items: [MealItem] = []
    /// The notes, which only ``items`` allow.
    public var notes: String?
    public var mealType: MealType
    /// The time of the meal; nil means now.
    public var loggedAt: DateTime?

    /// The longest text, in Swift characters.
    public static let maximumInputLength = 1000

    public init(rawInput: String, mealType: MealType, loggedAt: DateTime? = nil) {
        (self.rawInput, self.mealType, self.loggedAt) = (rawInput, mealType, loggedAt)
    }

    /// - Parameter isForApps: Whether to also accept the apps' meal types.
    public init(body: [UInt8], isForApps: Bool = false) throws(APIError) {
        try self.init(BodyReader(body), isForApps: isForApps)
    }

    init(_ fields: BodyReader, isForApps: Bool, isManual: Bool = false) throws(APIError) {
        if isManual {
            items = try fields.foods("items").required("items", expected: BodyReader.list(of: MealItem.counts))
            rawInput = items.words
            notes = try fields.text("notes", characters: 0...UpdateMealLogRequest.maximumNotesLength)
        } else {
            rawInput = try fields.text("raw_input", characters: 1...Self.maximumInputLength)
                .required("raw_input", expected: "the meal in words, such as \"2 eggs and toast\"")
            guard !rawInput.isBlank else { throw .blankRawInput }
        }
        let mealTypes = MealType.known(isForApps: isForApps)
        mealType = try fields.choice("meal_type", among: mealTypes)
            .required("meal_type", expected: BodyReader.names(among: mealTypes))
        loggedAt = try fields.dateTime("logged_at")
    }
}

/// The body of `POST /api/v1/meal-logs/batch`.
public struct CreateMealLogsRequest: Equatable, Sendable {
    /// 1 to 50 logs, in the order of creation.
    public var mealLogs: [CreateMealLogRequest]
    /// Whether the user entered a single meal's items, so that there is no text to parse.
    public var isManual: Bool { !mealLogs[0].items.isEmpty }

    /// The maximum number of meals in a request.
    public static let maximumCount = 50

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        if fields["meal_logs"] == nil, (fields["items"] ?? fields["meal_type"]) != nil {
            mealLogs = [try CreateMealLogRequest(fields, isForApps: true, isManual: true)]
        } else {
            let counts = 1...Self.maximumCount
            mealLogs = try fields.list("meal_logs", counts) { fields throws(APIError) in
                try CreateMealLogRequest(fields, isForApps: true)
            }.required("meal_logs", expected: BodyReader.list(of: counts) + ", or one meal as 'meal_type' and 'items'")
        }
    }
}

/// The body of `PUT /api/v1/meal-logs/{id}`: absent fields stay unchanged.
public struct UpdateMealLogRequest: Equatable, Sendable {
    /// 1 to 1,000 characters and not blank.
    public var rawInput: String?
    public var mealType: MealType?
    public var loggedAt: DateTime?
    /// An empty string removes the notes.
    public var notes: String?
    /// The foods that replace all others; any accompanying text is stored but not parsed.
    public var items: [MealItem]?

    /// The maximum length of the notes, in Swift characters.
    public static let maximumNotesLength = 1000

    /// Reads a body; an object without known fields changes nothing.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        rawInput = try fields.text("raw_input", characters: 1...CreateMealLogRequest.maximumInputLength)
        if rawInput?.isBlank ?? false { throw .blankRawInput }
        mealType = try fields.choice("meal_type")
        loggedAt = try fields.dateTime("logged_at")
        notes = try fields.text("notes", characters: 0...Self.maximumNotesLength)
        items = try fields.foods("items")
    }

    /// Changes a log, except for its foods and processing.
    public func apply(to log: inout MealLog) {
        if let rawInput { log.rawInput = rawInput }
        if let mealType { log.mealType = mealType }
        if let loggedAt { log.loggedAt = loggedAt }
        if let notes { log.notes = notes }
    }
}

/// The body of `PATCH /api/v1/meal-logs/photo/{id}/confirm`.
public struct ConfirmMealPhotoRequest: Equatable, Sendable {
    /// Up to 50 corrected foods; empty to accept the recognized foods.
    public var items: [MealItem]
    /// The new notes; nil keeps the photo's notes.
    public var notes: String?

    /// Reads a body; an empty body confirms the recognized foods.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try body.isEmpty ? BodyReader([:]) : BodyReader(body)
        items = try fields.foods("confirmed_items", 0...MealItem.counts.upperBound, named: "name") ?? []
        notes = try fields.text("notes", characters: MealPhotoRequest.noteLengths)
    }
}

extension MealItem {
    package static let nameLengths = 1...200
    package static let unitLengths = 1...100
    /// The allowed number of foods in a meal.
    package static let counts = 1...50

    /// Reads a food from an app.
    init(_ fields: BodyReader, named name: String) throws(APIError) {
        func amount(_ field: String, _ expected: String) throws(APIError) -> Double {
            let amount = try fields.number(field, in: 0...1_000_000)
            if amount == nil, field == "fiber_g" || field == "sugar_g" { return 0 }
            return try amount.required(field, expected: expected)
        }
        self.init(
            name: try fields.text(name, characters: Self.nameLengths).required(name, expected: "the food's name"),
            quantity: try amount("quantity", "the number of units"),
            unit: try fields.text("unit", characters: Self.unitLengths)
                .required("unit", expected: "the unit, such as \"cups\""),
            nutrients: try MealNutrients(
                calories: Int(try amount("calories", "kilocalories").rounded())
            ) { name throws(APIError) in
                Int((try amount(name + "_g", "grams in this quantity") * 10).rounded())
            })
    }
}

/// The body of `POST /api/v1/meal-logs/photo`, a form with an image (`multipart/form-data`, RFC 7578) or JSON with a
/// base64 image.
///
/// The server does not store the picture. Reading takes time linear in the body's size, regardless of the boundaries in
/// it.
public struct MealPhotoRequest: Equatable, Sendable {
    /// From the field `meal_type`; `other` for a form without it.
    public var mealType: MealType
    /// From the field `logged_at`; nil means now.
    public var loggedAt: DateTime?
    public var notes: String?

    /// The allowed lengths of notes, including notes in a confirmation, in Swift characters.
    public static let noteLengths = 0...500

    public init(mealType: MealType = .other, loggedAt: DateTime? = nil) {
        (self.mealType, self.loggedAt) = (mealType, loggedAt)
    }

    /// - Throws: A 415 for any other media type, or a 400 for an invalid body or a missing image.
    public init(body: [UInt8], contentType: String?) throws(APIError) {
        let isJSON = FormPart.pieces(of: contentType ?? "").first?.lowercased() == "application/json"
        let fields = isJSON ? try Self.fields(ofJSON: body, contentType) : try Self.fields(ofForm: body, contentType)
        let type: MealType? = try fields.choice("meal_type") ?? (isJSON ? nil : .other)
        mealType = try type.required("meal_type", expected: BodyReader.names(among: MealType.allCases))
        loggedAt = try fields.dateTime("logged_at")
        notes = try fields.text("notes", characters: Self.noteLengths)
    }

    private static func fields(ofJSON body: [UInt8], _ contentType: String?) throws(APIError) -> BodyReader {
        try APIError.checkMediaType(contentType)
        let fields = try BodyReader(body)
        let expected = "the picture in base64 (RFC 4648, section 4)"
        let image = try fields.string("image_data", expected: expected).required("image_data", expected: expected)
        guard Base64.decode(image)?.isEmpty == false else { throw .badImage("'image_data' is not \(expected)") }
        return fields
    }

    /// Finds the image: the first part with an image type, or with a file name and a generic type.
    private static func fields(ofForm body: [UInt8], _ contentType: String?) throws(APIError) -> BodyReader {
        let parts = try FormPart.parts(of: body, contentType: contentType)
        let image = parts.first { part in
            let isUnspecific = part.type == nil || part.type == "application/octet-stream"
            return part.type?.hasPrefix("image/") ?? false || (part.isFile && isUnspecific)
        }
        guard let image else {
            throw .badImage("no part is an image; send an image part with a filename and 'Content-Type: image/jpeg'")
        }
        guard !image.content.isEmpty else { throw .badImage("it has no bytes") }
        var texts = JSONObject()
        for part in parts where ["meal_type", "logged_at", "notes"].contains(part.name) {
            texts[part.name] = .string(String(decoding: body[part.content], as: UTF8.self))
        }
        return BodyReader(texts)
    }
}

/// A part of `multipart/form-data` (RFC 7578).
package struct FormPart {
    /// Empty if the part has no name.
    package private(set) var name = ""
    package private(set) var isFile = false
    /// The media type in lower case, without parameters.
    package private(set) var type: String?
    /// The range of the body that contains the part's content.
    package let content: Range<Int>

    /// The maximum number of parts, more than any client sends.
    static let mostParts = 20
    static let longestHead = 4096

    package static func parts(of body: [UInt8], contentType: String?) throws(APIError) -> [FormPart] {
        let field = contentType ?? ""
        guard pieces(of: field).first?.lowercased() == "multipart/form-data" else {
            throw .unsupportedMediaType(contentType, expected: "multipart/form-data")
        }
        guard let boundary = boundary(of: field) else {
            throw .badForm("its Content-Type has no boundary of 1 to 70 characters")
        }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        // The first delimiter may be at the start of the body, without a line break.
        guard var place = body.starts(with: delimiter[2...]) ? -2 : find(delimiter, in: body, from: 0) else {
            throw .badForm("it does not contain the boundary from its Content-Type")
        }
        var parts: [FormPart] = []
        while !body[(place + delimiter.count)...].starts(with: "--".utf8) {
            let start = place + delimiter.count
            guard parts.count < mostParts, let headEnd = find(Array("\r\n\r\n".utf8), in: body, from: start),
                headEnd - start <= longestHead, let end = find(delimiter, in: body, from: headEnd + 2)
            else {
                throw .badForm(
                    "part \(parts.count + 1) exceeds the limit, has no header, or is not followed by a "
                        + "boundary")
            }
            let head = String(decoding: body[start..<headEnd], as: UTF8.self)
            parts.append(FormPart(head: head, content: min(headEnd + 4, end)..<end))
            place = end
        }
        return parts
    }

    /// The boundary in a Content-Type; nil if it is not a valid boundary (RFC 2046 §5.1.1).
    package static func boundary(of contentType: String) -> String? {
        parameter("boundary", of: contentType).flatMap { (1...70).contains($0.utf8.count) ? $0 : nil }
    }

    private init(head: String, content: Range<Int>) {
        self.content = content
        for line in head.split(separator: "\r\n") {
            let value = String(line.drop { $0 != ":" }.dropFirst())
            switch line.prefix(while: { $0 != ":" }).lowercased() {
            case "content-disposition":
                name = Self.parameter("name", of: value) ?? ""
                isFile = Self.parameter("filename", of: value) != nil
            case "content-type": type = Self.pieces(of: value).first?.lowercased()
            default: break
            }
        }
    }

    /// The trimmed parts of a field's value between semicolons.
    static func pieces(of value: String) -> [String] {
        value.split(separator: ";").map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    /// A parameter without quotation marks; no parameter read here contains a semicolon.
    private static func parameter(_ name: String, of value: String) -> String? {
        let piece = pieces(of: value).dropFirst().first { $0.lowercased().hasPrefix(name + "=") }
        return piece?.dropFirst(name.count + 1).filter { $0 != "\"" }
    }

    /// Finds a pattern that begins with its only carriage return, in linear time.
    private static func find(_ pattern: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        body.withUnsafeBufferPointer { bytes in
            guard bytes.count - start >= pattern.count, let last = pattern.last else { return nil }
            for index in start...bytes.count - pattern.count where bytes[index] == 0x0D {
                // A picture can consist of line breaks, but few are followed by the pattern's last byte.
                guard bytes[index + pattern.count - 1] == last else { continue }
                if bytes[index..<index + pattern.count].elementsEqual(pattern) { return index }
            }
            return nil
        }
    }
}
