package desk

// SaveMapped lets tests save a mapping that was chosen while something else changed the import.
var SaveMapped = saveMapped
