package staff

func peopleRoutes() []Route { return nil }
