import JSON

extension String {
    /// Whether it has nothing but white space.
    package var isBlank: Bool { unicodeScalars.allSatisfy(\.properties.isWhitespace) }
}

extension BodyReader {
    /// A list of so many objects, or nil if the field is absent; a refusal of what is in one names its index.
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

    /// Foods as an app sends them, with the name in a field of this name; nil if the field is absent.
    func foods(
        _ field: String, _ counts: ClosedRange<Int> = MealItem.counts, named name: String = "food_name"
    ) throws(APIError) -> [MealItem]? {
        try list(field, counts) { fields throws(APIError) in try MealItem(fields, named: name) }
    }
}

/// The body of `POST /api/v1/meal-logs/batch`.
public struct CreateMealLogsRequest: Equatable, Sendable {
    /// 1 to 50, in the order of their creation.
    public var mealLogs: [CreateMealLogRequest]
    /// Whether it is a single meal whose items the user entered, so that nothing has to be parsed.
    public var isManual: Bool { !mealLogs[0].items.isEmpty }

    /// The most meals of a request.
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
    /// An empty text removes them.
    public var notes: String?
    /// The foods in place of all others; a text beside them is stored, but not parsed.
    public var items: [MealItem]?

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
        items = try fields.foods("items")
    }

    /// Changes a log except its foods and its processing.
    public func apply(to log: inout MealLog) {
        if let rawInput { log.rawInput = rawInput }
        if let mealType { log.mealType = mealType }
        if let loggedAt { log.loggedAt = loggedAt }
        if let notes { log.notes = notes }
    }
}

/// The body of `PATCH /api/v1/meal-logs/photo/{id}/confirm`.
public struct ConfirmMealPhotoRequest: Equatable, Sendable {
    /// At most 50, as the app's user corrected them; none for what was recognized.
    public var items: [MealItem]
    /// Nil for those of the photo.
    public var notes: String?

    /// An empty body confirms what was recognized.
    public init(body: [UInt8]) throws(APIError) {
        let fields = try body.isEmpty ? BodyReader([:]) : BodyReader(body)
        items = try fields.foods("confirmed_items", 0...MealItem.counts.upperBound, named: "name") ?? []
        notes = try fields.text("notes", characters: MealPhotoRequest.noteLengths)
    }
}

extension MealItem {
    static let nameLengths = 1...200
    static let unitLengths = 1...100
    /// The number of foods of a meal.
    package static let counts = 1...50

    /// A food as an app sends it.
    init(_ fields: BodyReader, named name: String) throws(APIError) {
        func amount(_ field: String, _ expected: String) throws(APIError) -> Double {
            let amount = try fields.number(field, in: 0...1_000_000)
            if amount == nil, field == "fiber_g" || field == "sugar_g" { return 0 }
            return try amount.required(field, expected: expected)
        }
        self.init(
            name: try fields.text(name, characters: Self.nameLengths)
                .required(name, expected: "what the food is called"),
            quantity: try amount("quantity", "how many of the unit"),
            unit: try fields.text("unit", characters: Self.unitLengths)
                .required("unit", expected: "what is counted, such as \"cups\""),
            nutrients: try MealNutrients(
                calories: Int(try amount("calories", "kilocalories").rounded())
            ) { name throws(APIError) in
                Int((try amount(name + "_g", "grams of this quantity") * 10).rounded())
            })
    }
}
