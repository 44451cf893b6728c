package staff

func keylessRoutes() []Route { return nil }
