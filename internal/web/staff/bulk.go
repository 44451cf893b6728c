package staff

func bulkRoutes() []Route { return nil }
