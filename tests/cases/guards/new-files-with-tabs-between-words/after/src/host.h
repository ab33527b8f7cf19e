struct host {
	char	name[64];
	char	town[32];
	int	port;
};
