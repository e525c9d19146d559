import JSON

extension String {
    /// Whether it has nothing but white space.
    package var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension BodyReader {
    /// A list of at least one object; a refusal of what is in one names its index.
    func list<Element>(
        _ field: String, atMost limit: Int, _ read: (BodyReader) throws(APIError) -> Element
    ) throws(APIError) -> [Element] {
        let expected = "a list of 1 to \(limit) objects"
        let value = try self[field].required(field, expected: expected)
        guard let list = value.array, (1...limit).contains(list.count) else {
            throw .wrongType(field, expected: expected, got: value)
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
}

/// The body of `POST /api/v1/meal-logs/batch`.
public struct CreateMealLogsRequest: Equatable, Sendable {
    /// 1 to 50, in the order of their creation.
    public var mealLogs: [CreateMealLogRequest]

    /// The most meals of a request.
    public static let maximumCount = 50

    public init(body: [UInt8]) throws(APIError) {
        mealLogs = try BodyReader(body).list("meal_logs", atMost: Self.maximumCount) { fields throws(APIError) in
            try CreateMealLogRequest(fields, isForApps: true)
        }
    }
}

/// The body of `PUT /api/v1/meal-logs/{id}`: absent fields stay unchanged.
public struct UpdateMealLogRequest: Equatable, Sendable {
    /// 1 to 1,000 characters and not blank.
    public var rawInput: String?
    public var mealType: MealType?
    public var loggedAt: DateTime?
    /// An empty text removes them.
    public var notes: String?

    /// The longest notes, in Swift characters.
    public static let maximumNotesLength = 1000

    public init() {}

    /// Reads a body; an object without known fields changes nothing.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        rawInput = try fields.text("raw_input", characters: 1...CreateMealLogRequest.maximumInputLength)
        if rawInput?.isBlank ?? false { throw .blankRawInput }
        mealType = try fields.choice("meal_type")
        loggedAt = try fields.dateTime("logged_at")
        notes = try fields.text("notes", characters: 0...Self.maximumNotesLength)
    }

    /// Changes a log except its processing.
    public func apply(to log: inout MealLog) {
        if let rawInput { log.rawInput = rawInput }
        if let mealType { log.mealType = mealType }
        if let loggedAt { log.loggedAt = loggedAt }
        if let notes { log.notes = notes.isEmpty ? nil : notes }
    }
}

/// The body of `PATCH /api/v1/meal-logs/photo/{id}/confirm`.
public struct ConfirmMealPhotoRequest: Equatable, Sendable {
    /// 1 to 50, as the app's user corrected them.
    public var items: [MealItem]
    public var notes: String?

    /// The most foods of a meal.
    public static let maximumCount = 50

    public init(body: [UInt8]) throws(APIError) {
        let fields = try BodyReader(body)
        items = try fields.list("confirmed_items", atMost: Self.maximumCount, MealItem.init)
        notes = try fields.text("notes", characters: 0...UpdateMealLogRequest.maximumNotesLength)
    }
}

extension MealItem {
    static let nameLengths = 1...200
    static let unitLengths = 1...100

    /// A food as an app sends it.
    init(_ fields: BodyReader) throws(APIError) {
        func amount(_ field: String) throws(APIError) -> Double { try fields.number(field, in: 0...1_000_000) ?? 0 }
        self.init(
            name: try fields.text("name", characters: Self.nameLengths)
                .required("name", expected: "what the food is called"),
            quantity: try fields.number("quantity", in: 0...1_000_000)
                .required("quantity", expected: "how many of the unit"),
            unit: try fields.text("unit", characters: Self.unitLengths)
                .required("unit", expected: "what is counted, such as \"cups\""),
            nutrients: try MealNutrients(calories: Int(try amount("calories").rounded())) { name throws(APIError) in
                Int((try amount(name + "_g") * 10).rounded())
            })
    }
}
