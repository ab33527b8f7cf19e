class Answer
  def redirect(uri, *rest)
    if (env['HTTP_VERSION'] == 'HTTP/1.1') && (env['REQUEST_METHOD'] != 'GET')
      status 303
    else
      status 302
    end
    headers['Location'] = uri.to_s
    halt(*rest)
  end

  def redirect?
    status.between?(300, 399)
  end

  def redirect=(uri)
    redirect(uri)
  end
end
