mast = 2
endpoint = make_url(host)
rope = 3
