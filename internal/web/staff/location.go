package staff

func locationRoutes() []Route { return nil }
